#!/usr/bin/env python3
"""A bot for every game that asks a language model, at any endpoint for chat completions in the manner of OpenAI's.

    CHAT_URL=http://localhost:11434/v1/chat/completions CHAT_MODEL=llama3 feint match kuhn process:./chat.py random --games 10

CHAT_KEY is sent as a bearer token where it is set. A model that answers with no number of a choice has the first one.
"""

import json
import os
import re
import sys
from urllib.request import Request, urlopen

URL = os.environ.get("CHAT_URL", "http://localhost:11434/v1/chat/completions")
MODEL = os.environ.get("CHAT_MODEL", "llama3")
KEY = os.environ.get("CHAT_KEY")
SECONDS = 60


def asked(text: str, seed: int) -> str:
    """What the model says."""
    body = {"model": MODEL, "temperature": 0, "seed": seed, "messages": [{"role": "user", "content": text}]}
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {KEY}"} if KEY else {})
    with urlopen(Request(URL, json.dumps(body).encode(), headers), timeout=SECONDS) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


def choose(game: str, table: dict) -> int:
    choices = "\n".join(f"{number}: {name}" for number, name in enumerate(table["names"]))
    text = (
        f"You play {game}. This is all that you know: {json.dumps(table['view'])}\n"
        f"You may choose one of:\n{choices}\nAnswer with the number of your choice alone."
    )
    found = re.search(r"\d+", asked(text, table["seed"]))
    number = int(found[0]) if found else 0
    return table["legal"][number if number < len(table["legal"]) else 0]


game = ""
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        game = f"{message['game']} with {message['players']} players"
        answer = {"protocol": 1, "name": MODEL, "most": 1}  # one table a message, since a model is slow
    else:
        answer = {"number": message["number"], "actions": [choose(game, table) for table in message["tables"]]}
    print(json.dumps(answer), flush=True)
