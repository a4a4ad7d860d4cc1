#!/usr/bin/env python3
"""A bot for every game, in plain Python: one of its legal actions, drawn from the seed of the table and the number of the move."""

import json
import random
import sys


def choose(table: dict) -> int:
    return random.Random(f"{table['seed']} {table['move']}").choice(table["legal"])


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        answer = {"protocol": 1, "name": "Python"}
    else:
        answer = {"number": message["number"], "actions": [choose(table) for table in message["tables"]]}
    print(json.dumps(answer), flush=True)
