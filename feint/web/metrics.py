"""What the server counts, for Prometheus, and its log: one JSON object a line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

PROMPT = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Counts of one server."""

    def __init__(self, rooms: Callable[[], float], guests: Callable[[], float]) -> None:
        self.registry = CollectorRegistry()
        self.moves = Counter("feint_moves", "Moves that were kept.", ["game", "by"], registry=self.registry)
        self.refused = Counter("feint_refused", "What was refused.", ["error"], registry=self.registry)
        self.tables = Counter("feint_tables", "Tables that were made.", ["game"], registry=self.registry)
        self.answered = Histogram(
            "feint_move_seconds", "From a person's move to its being kept.", buckets=PROMPT, registry=self.registry
        )
        Gauge("feint_tables_served", "Tables that this process serves.", registry=self.registry).set_function(rooms)
        Gauge("feint_connections", "People connected to them.", registry=self.registry).set_function(guests)

    def told(self) -> bytes:
        return generate_latest(self.registry)


def log_to(stream: TextIO = sys.stderr) -> Callable[..., None]:
    """A log: an event and what there is to say of it. Names, tokens and cards do not belong there."""

    def log(event: str, **told: Any) -> None:
        line = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "event": event, **told}
        print(json.dumps(line), file=stream, flush=True)

    return log
