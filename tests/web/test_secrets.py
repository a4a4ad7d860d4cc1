"""Nobody learns what they cannot know: not by what is sent to them, not by guessing how the server deals."""

from __future__ import annotations

import copy
import json
import random
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance, deals, registry
from feint.table import packed
from feint.views import as_json
from feint.web.match import PERSON, Chair, Dealt, Round, deal_out
from tests.web.served import Served, serving

SMALL = ("kuhn", "leduc", "liars-dice", "bidding", "holdem")
LARGE = ("bluff", "okey")
ALIKE = 4  # moves that are tried in another world, to find such as look the same


@jax.jit
def _redealt(game, view, key):
    return packed(game, game.redeal(view, key))


def copied(round: Round) -> Round:
    """The same game, at which something else may happen."""
    other = copy.copy(round)
    other.table = round.table.copy()
    other.stories = {seat: copy.copy(story) for seat, story in round.stories.items()}
    for story in other.stories.values():
        story.table, story.told = other.table, [*story.told]
    return other


def elsewhere(round: Round, reader: int, seed: int) -> Round:
    """The same game in another world that looks the same to a reader: whatever they cannot know is dealt anew."""
    other = copied(round)
    table = other.table
    table.packed = np.asarray(_redealt(round.game, round.table.view(reader), chance.key(seed)))
    table._seen, table._views = table._rules.seen.read(table.packed), {}
    for story in other.stories.values():
        story._look()
    return other


def sent(round: Round, chair: int | None) -> str:
    """Every byte of a state that depends on the game."""
    return json.dumps(round.message(chair))


def check_that_nothing_leaks(game, seed: int, moves: int = 10**6) -> int:
    """Play at random; before and after moves, whatever a reader is sent is what they would be sent in another world that looks the same to
    them, whatever was done there that looks the same. How often something was done there."""
    rng, compared = random.Random(seed), 0
    round = Round(game, 0, deal_out(game), [Chair(PERSON)] * game.players)
    while not round.table.over and round.table.moves < moves:
        reader, mover = rng.randrange(game.players), round.table.player
        action = rng.choice(np.flatnonzero(round.table.legal).tolist())
        other = elsewhere(round, reader, rng.randrange(2**31))
        assert sent(other, reader) == sent(round, reader)
        assert sent(other, None) == sent(round, None)
        round.follow([action])
        if reader == mover:
            continue
        looks = as_json(round.table.view(reader))
        allowed = np.flatnonzero(other.table.legal).tolist()
        for each in {action, *rng.sample(allowed, min(ALIKE, len(allowed)))} & {*allowed}:
            there = copied(other)
            there.follow([each])
            if as_json(there.table.view(reader)) == looks and not there.table.over:
                compared += 1
                assert sent(there, reader) == sent(round, reader)
    return compared


@pytest.mark.parametrize("name", SMALL)
def test_what_a_seat_is_sent_is_the_same_in_every_world_it_cannot_tell_apart(name):
    assert sum(check_that_nothing_leaks(registry.make(name), seed) for seed in range(3)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_what_a_seat_is_sent_in_large_games_is_the_same_in_every_such_world(name):
    assert sum(check_that_nothing_leaks(registry.make(name), seed, 60) for seed in range(2)) > 0


def test_a_leak_would_be_found(monkeypatch):
    honest = Round.message
    leaking = lambda round, chair, told_from=0: honest(round, chair, told_from) | as_json(round.table.state())  # noqa: E731
    monkeypatch.setattr(Round, "message", leaking)
    with pytest.raises(AssertionError):
        sum(check_that_nothing_leaks(registry.make("kuhn"), seed) for seed in range(20))


# ---- every byte over real connections


AROUND = {"kind", "table", "game", "status", "chair", "host", "seats", "score", "pace", "hints", "watchers", "wait"}
COMES_AND_GOES = {"status", "seats", "watchers", "wait"}  # with those who are connected


def heard_by_all(served: Served, name: str, rng: random.Random) -> tuple[dict, dict[int | None, list[str]]]:
    """A game in which everybody is a person who plays at random: the game as it can be reviewed, and every text that was sent to each seat
    and to a spectator, None."""
    players = registry.make(name).players
    table = {"game": name, "chairs": [{"person": f"Person {seat}"} for seat in range(players)], "pace": 0}
    made = served.post("/api/tables", table).json()
    seats = [served.at(made["table"], token=chair["token"]) for chair in made["chairs"]]
    everybody = [*seats, served.at(made["table"], watch=True)]
    states, number = [each.until(lambda told: told["view"] is not None) for each in everybody], 0
    while not states[0]["over"]:
        turn = states[0]["turn"]
        seats[turn].say(move=number, action=rng.choice(states[turn]["choices"])["action"])
        number += 1
        states = [each.until(lambda told: told["number"] == number) for each in everybody]  # noqa: B023
    for each in everybody:
        each.close()
    played = served.get(f"/api/tables/{made['table']}/games/0").json()
    tokens = [made["host"], *(chair["token"] for chair in made["chairs"])]
    assert not [text for each in everybody for text in each.heard for token in tokens if token in text]
    return played, dict(zip([*range(players), None], [each.heard for each in everybody], strict=True))


def check_that_bytes_are_public(served: Served, name: str, seed: int) -> None:
    """Whatever was sent before the end is what would have been sent in another world that looks the same to the reader."""
    rng, game = random.Random(seed), registry.make(name)
    played, heard = heard_by_all(served, name, rng)
    deal, nonce = played["opening"]["deal"], played["opening"]["nonce"]
    chairs = [Chair(PERSON, name) for name in played["names"]]
    round = Round(game, 0, Dealt(bytes(32), deal, nonce, played["commitment"]), chairs)
    told = {reader: [told for told in map(json.loads, texts) if told["view"]] for reader, texts in heard.items()}
    for reader, texts in heard.items():
        before = [text for text in texts if not json.loads(text)["over"]]
        assert not [text for text in before if nonce in text or re.search("seed|fingerprint|secret|nonce", text)]
        first = told[reader][0]
        for state in told[reader]:  # what does not come from the game does not change with it, either
            assert set(state) == AROUND | set(round.message(None))
            if not state["over"]:
                assert all(state[key] == first[key] for key in AROUND - COMES_AND_GOES)
    for number, step in enumerate(played["steps"]):
        for reader in told:
            world = elsewhere(round, rng.randrange(game.players) if reader is None else reader, rng.randrange(2**31))
            for state in (state for state in told[reader] if state["number"] == number):
                for at in (round,) if round.table.over else (round, world):
                    expected = json.loads(json.dumps(at.message(reader, state["told_from"])))
                    assert {key: state[key] for key in expected} == expected
        if step["action"] is not None:
            round.follow([step["action"]])
    assert round.table.over


@pytest.mark.parametrize("name", ["kuhn", "leduc", "bidding"])
def test_every_byte_of_whole_games_is_public_before_it_is_sent(lab, name):
    for seed in range(2):
        check_that_bytes_are_public(lab, name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*registry.game_names()} - {"kuhn", "leduc", "bidding"}))
def test_every_byte_of_whole_large_games_is_public_before_it_is_sent(tmp_path, name):
    with serving(tmp_path, games=name) as served:
        check_that_bytes_are_public(served, name, 0)


# ---- guessing the deal


TRIED = 4096  # seeds


@jax.jit
def _hands(game, seeds):
    """The first hand of the deal of each seed, bool[seeds, cards]."""
    return jax.vmap(lambda seed: game.init(chance.deal_key(chance.game_key(seed, 0, 0))).place == 0)(seeds)


def fitting_seeds(game, hand) -> list[int]:
    """The attack: all seeds of a range whose deal gives the hand that one holds."""
    hands = np.asarray(_hands(game, jnp.arange(TRIED)))
    return np.flatnonzero((hands == np.asarray(hand)).all(axis=1)).tolist()


def test_a_seed_is_found_by_trying_and_the_servers_deals_have_none():
    bluff = registry.make("bluff")
    seeded = bluff.init(chance.deal_key(chance.game_key(1234, 0, 0)))
    assert fitting_seeds(bluff, seeded.place == 0) == [1234]  # one hand of 13 cards gives all others away
    for _ in range(3):
        dealt = bluff.deal(deals.read(bluff, json.loads(deal_out(bluff).deal)))
        assert fitting_seeds(bluff, dealt.place == 0) == []


def test_the_servers_chance_has_256_bits_and_no_two_uses_of_it_are_alike():
    kuhn = registry.make("kuhn")
    made = [deal_out(kuhn) for _ in range(20)]
    assert all(len(each.secret) == 32 for each in made)
    assert len({each.secret for each in made} | {bytes.fromhex(each.nonce) for each in made}) == 40
    assert len({each.commitment for each in made}) == 20  # though there are only six deals
