"""Bots for tests: small programs, right and wrong ones."""

from __future__ import annotations

import sys
from pathlib import Path

TOP = """
import json, os, sys, time
def hello(**more): print(json.dumps({"protocol": 1, **more}), flush=True)
def say(**answer): print(json.dumps(answer), flush=True)
"""
LOOP = """
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        {begin}
        continue
    tables = message["tables"]
    {act}
"""


def program(
    folder: Path, act: str = "say(actions=[each['legal'][-1] for each in tables])", begin: str = "hello()"
) -> str:
    """The specification of a program that says `begin` and then, to questions about `tables`, `act`."""
    path = folder / f"bot{len(list(folder.iterdir()))}.py"
    path.write_text(TOP + LOOP.format(begin=begin, act=act), encoding="utf-8")
    return f"process:{sys.executable} -S -E {path}"
