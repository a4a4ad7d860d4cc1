"""What all tables of a process share: the database, those who answer for agents, and the threads that work for them."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from feint.web.company import Company
from feint.web.database import Database
from feint.web.metrics import Metrics
from feint.web.offers import Offers
from feint.web.preparing import Preparing

T = TypeVar("T")


class House:
    """What a table finds around it."""

    def __init__(self, database: Database, offers: Offers, log: Callable[..., None], metrics: Metrics) -> None:
        self.database, self.offers, self.log, self.metrics = database, offers, log, metrics
        self.company, self.preparing = Company(), Preparing()
        self._rules = ThreadPoolExecutor(1, "rules")

    async def engine(self, do: Callable[..., T], *given: Any) -> T:
        """What is worked out by the rules: in one thread, away from the connections."""
        return await asyncio.get_running_loop().run_in_executor(self._rules, partial(do, *given))

    def close(self) -> None:
        for each in (self.company, self.preparing, self.database):
            each.close()
        self._rules.shutdown(wait=False, cancel_futures=True)

    @staticmethod
    def new_token() -> str:
        """A seat for whoever holds it: 192 bits that nobody can guess."""
        return secrets.token_urlsafe(24)

    @staticmethod
    def hashed(token: str) -> str:
        """All that is kept of a token."""
        return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
