"""How long Ctrl-C takes to end a command, with nothing compiled: `python -m benchmarks.stopping`.

Beside it the same command with Python's own Ctrl-C, an exception wherever the main thread is, as in programs that do nothing about it.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

COMMANDS = (
    "match bluff no-bluff smart anxious -n 2000",
    "solve leduc --iterations 1000000",
    "train kuhn",
    "exploit leduc random --train 10000000",
    "lab --port 0",
)
OURS = "from feint.__main__ import main; main()"
PYTHONS = (
    f"from contextlib import nullcontext; from feint import interrupts; interrupts.listening = nullcontext; {OURS}"
)


def stopped(program: str, command: str, after: float) -> tuple[float, int, str]:
    """The seconds from Ctrl-C to the end, the exit code and the last line said; of one that runs on for a minute, that minute."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
        running = subprocess.Popen(
            [sys.executable, "-c", program, *command.split()],
            cwd=folder,
            env={**os.environ, "FEINT_CACHE": folder, "XDG_DATA_HOME": folder},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        time.sleep(after)
        if running.poll() is not None:
            raise SystemExit(f"feint {command} ended within {after:g} s: press earlier, with --after.")
        pressed = time.perf_counter()
        running.send_signal(signal.SIGINT)
        try:
            running.wait(60)
        except subprocess.TimeoutExpired:
            running.kill()
        took, code = time.perf_counter() - pressed, running.wait()
        errors.seek(0)
        return took, code, (errors.read().strip().splitlines() or [""])[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", default=COMMANDS, help="what follows `feint`, each in quotes")
    parser.add_argument(
        "--after", type=float, nargs="+", default=[2.0, 4.0, 6.0], help="seconds after the start to press it"
    )
    chosen = parser.parse_args()
    print("pressed after   feint s (code)   Python's own s (code)   ratio   command: what feint said last")
    for command in chosen.commands:
        for after in chosen.after:
            ours, code, said = stopped(OURS, command, after)
            pythons, other, _ = stopped(PYTHONS, command, after)
            told = f"{after:11.1f} s   {ours:7.2f} ({code:4d})   {pythons:14.2f} ({other:4d})   {pythons / ours:5.1f}"
            print(f"{told}   {command}: {said}", flush=True)


if __name__ == "__main__":
    main()
