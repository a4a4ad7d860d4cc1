"""What the server refuses: a word for programs, a sentence for people, and the status that goes with them."""

from __future__ import annotations

from typing import Any

STATUS = {
    "malformed": 400,
    "bad_token": 401,
    "forbidden": 403,
    "no_such_table": 404,
    "no_such_game": 404,
    "no_such_job": 404,
    "full": 409,
    "late": 409,
    "over": 409,
    "still_on": 409,
    "waiting": 409,
    "not_your_turn": 409,
    "closed": 410,
    "too_large": 413,
    "illegal": 422,
    "refused": 422,
    "no_hints": 403,
    "too_fast": 429,
    "busy": 503,
}


class Refusal(Exception):
    """Something that was not done, and changed nothing."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error, self.message = error, message

    @property
    def status(self) -> int:
        return STATUS[self.error]

    def told(self) -> dict[str, Any]:
        """As it is sent."""
        return {"error": self.error, "message": self.message}
