"""The server as a command: a port, a database, and a page."""

from __future__ import annotations

import signal
import socket
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

import uvicorn

from feint import interrupts
from feint.errors import UserError
from feint.files import locked
from feint.web.app import make_app
from feint.web.database import Database, data_folder, usual_address
from feint.web.jobs import Jobs
from feint.web.lab import Lab, Limits
from feint.web.metrics import log_to
from feint.web.offers import Offers

LARGEST_FRAME = 65_536  # bytes: what is larger is not read at all
BACKLOG = 2048  # connections that may wait to be taken
PATIENCE = 2  # seconds that connections have to end


def serve(
    host: str,
    port: int,
    database: str | None = None,
    games: Sequence[str] = (),
    names: Sequence[str] = (),
    opens: bool = False,
    limits: Limits | None = None,
    experiments: int | None = None,
) -> int:
    """Serve until somebody stops it; gives the exit code. So many experiments may run at a time: one, unless others can reach the lab."""
    offers = Offers(games)
    listening = _listen(host, port)
    kept = Database(usual_address() if database is None else database)
    log = log_to()
    with locked(kept.file, "The database") if kept.file else nullcontext():
        lab = Lab(kept, offers, log, limits)
        max_running = experiments if experiments is not None else int(_is_private(host))
        folder = kept.file.absolute().parent if kept.file else data_folder()
        jobs = Jobs(folder / "jobs", max_running)
        settings = uvicorn.Config(
            make_app(lab, jobs, [*names, host]),
            log_config=None,
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=LARGEST_FRAME,
            ws_per_message_deflate=False,  # a state takes a few kilobytes, and packing it longer than sending it
            timeout_graceful_shutdown=PATIENCE,
            server_header=False,
        )
        address = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{listening.getsockname()[1]}/"
        print(f"The lab is open at {address}  (Ctrl-C closes it)", flush=True)
        log("open", address=address, database=kept.shown)
        if opens:
            webbrowser.open(address)
        with interrupts.on_ctrl_c(lambda: _closed(jobs)):
            _Server(settings).run([listening])
    return 0


class _Server(uvicorn.Server):
    """SIGTERM ends the lab when all have hung up. Ctrl-C does so at once, even while games are compiled: all that was accepted is on disk."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = signal.signal(signal.SIGTERM, self.handle_exit)
        try:
            with interrupts.passed_on():
                yield
        finally:
            signal.signal(signal.SIGTERM, before)


def _closed(jobs: Jobs) -> str:
    """What Ctrl-C comes to."""
    stopped = jobs.interrupt()
    experiments = (
        f" {stopped} experiment{'s were' if stopped > 1 else ' was'} stopped, and can go on." if stopped else ""
    )
    return f"The lab is closed; all tables are kept, and are as they were when it is opened again.{experiments}"


def _is_private(host: str) -> bool:
    """Whether nobody but this machine gets to the lab."""
    return host in ("localhost", "::1") or host.startswith("127.")


def _listen(host: str, port: int) -> socket.socket:
    """The port, taken before anything else is begun."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        taken = socket.socket(family)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((host, port))
        taken.listen(BACKLOG)  # whoever comes before all is ready waits a moment
    except OSError as failed:
        raise UserError(
            f"The lab cannot be opened at {host}, port {port}: {failed.strerror or failed}. Another port is chosen by --port."
        ) from None
    return taken
