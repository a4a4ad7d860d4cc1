"""A bot for any dealer of the ACPC's limit Hold'em, in nothing but Python: it takes a legal action at random.

python acpc_bot.py HOST PORT SEED
"""

import random
import socket
import sys

BLINDS = {2: [10, 5], 3: [5, 10, 0]}
BETS, MOST, OPENERS = [10, 10, 20, 20], [3, 4, 4, 4], {2: [1, 0, 0, 0], 3: [2, 0, 0, 0]}


def situation(betting, players):
    """Who acts after a hand's betting, whether there is something to pay and whether one may raise; None once the hand is over."""
    paid, live = list(BLINDS[players]), set(range(players))
    for number, letters in enumerate(betting.split("/")):
        turn, raises, waiting = OPENERS[players][number], 0, len(live)
        while turn not in live:
            turn = (turn + 1) % players
        for letter in letters:
            if letter == "f":
                live.discard(turn)
            else:
                paid[turn] = max(paid) + (BETS[number] if letter == "r" else 0)
            raises += letter == "r"
            waiting = len(live) - 1 if letter == "r" else waiting - 1
            turn = (turn + 1) % players
            while turn not in live:
                turn = (turn + 1) % players
    if len(live) == 1 or waiting == 0:
        return None
    return turn, paid[turn] < max(paid), raises < MOST[number]


def main(host, port, seed):
    chance = random.Random(seed)
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"VERSION:2.0.0\r\n")
        for line in connection.makefile(encoding="ascii", newline="\n"):
            if line.startswith(("#", ";")):
                continue
            _, position, _, betting, cards = line.strip().split(":")
            found = situation(betting, cards.split("/")[0].count("|") + 1)
            if found and found[0] == int(position):
                actions = "c" + "f" * found[1] + "r" * found[2]
                connection.sendall(f"{line.strip()}:{chance.choice(actions)}\r\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
