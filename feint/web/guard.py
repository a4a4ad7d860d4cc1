"""What every request passes: hosts and origins that may ask, sizes and rates, and the headers of every answer."""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from feint.web.refusals import Refusal

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
LOCAL = ("localhost", "testserver")


class Guard:
    """An ASGI application around another. `names` are those by which the server may be addressed, besides localhost and plain IP addresses:
    a page of somebody else's that points its own name at this machine is not among them."""

    def __init__(self, app: Any, names: Sequence[str] = (), body: int = 16_384) -> None:
        self.app, self.body = app, body
        self.names = {name.lower() for name in (*LOCAL, *names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refusal(scope, headers)
        if refused is None:
            await self.app(scope, receive, self._marked(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": refused.message})
        else:
            await _answer(self._marked(send), refused)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> Refusal | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return Refusal("forbidden", "This server does not go by that name. Start it with --name to give it one.")
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if changes and origin is not None and _authority(origin) != host.lower():
            return Refusal("forbidden", "Only this server's own pages may do that.")
        if scope["type"] == "http" and changes:
            length = headers.get("content-length")
            if length is None or not length.isdecimal() or len(length) > 18:
                return Refusal("malformed", "A request says how long it is.")
            if int(length) > self.body:
                return Refusal("too_large", f"A request has at most {self.body} bytes.")
        return None

    def _is_ours(self, host: str) -> bool:
        name = urlsplit(f"//{host}").hostname if _is_plain(host) else None
        if name is None:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.lower() in self.names
        return True

    def _marked(self, send: Send) -> Send:
        async def marked(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                told = {name.lower() for name, _ in message["headers"]}
                added = [
                    (name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in told
                ]
                message = message | {"headers": [*message["headers"], *added]}
            await send(message)

        return marked


def _is_plain(host: str) -> bool:
    try:
        urlsplit(f"//{host}").port  # noqa: B018 (says whether it can be read)
    except ValueError:
        return False
    return not set("/?#@\\") & set(host)


def _authority(origin: str) -> str:
    """Host and port of an origin; empty for none, as of a file."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


async def _answer(send: Send, refused: Refusal) -> None:
    content = json.dumps(refused.told()).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


class Rate:
    """So many within a minute for each address; addresses that have been quiet are forgotten."""

    def __init__(self, most: int) -> None:
        self.most, self._seen = most, {}  # type: int, dict[str, tuple[float, float]]

    def check(self, address: str) -> None:
        now = time.monotonic()
        if len(self._seen) > 10_000:
            self._seen = {each: kept for each, kept in self._seen.items() if now - kept[1] < 60}
        left, since = self._seen.get(address, (float(self.most), now))
        left = min(float(self.most), left + (now - since) * self.most / 60)
        if left < 1:
            raise Refusal("too_fast", "Those are too many tables in a minute. Wait a little.")
        self._seen[address] = left - 1, now
