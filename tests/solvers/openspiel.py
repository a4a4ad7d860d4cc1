"""Feint's information sets by the names OpenSpiel gives them, so that policies can be handed over action by action."""

from functools import cache

import numpy as np
import pyspiel

import feint
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tree import build

PEERS = {
    "kuhn": lambda o: f"kuhn_poker(players={o.get('players', 2)})",
    "leduc": lambda o: f"leduc_poker(players={o.get('players', 2)},suit_isomorphism={not o.get('suits', False)})",
    "liars-dice": lambda o: f"liars_dice(numdice={o.get('dice', 1)},dice_sides={o.get('sides', 6)})",
}

SMALL = [
    ("kuhn", {}),
    ("kuhn", {"players": 3}),
    ("leduc", {}),
    ("leduc", {"suits": True}),
    ("liars-dice", {"sides": 3}),
]


@cache
def _form(name, options):
    return SequenceForm.of(build(feint.make(name, **dict(options))))


def form(name, **options):
    """A game's sequence form, built once for all tests."""
    return _form(name, tuple(options.items()))


def peer(name, **options):
    return pyspiel.load_game(PEERS[name](options))


def kuhn_name(_, view):
    return f"{view.card}" + "".join("pb"[move] for move in view.history[: view.moves])


def leduc_name(game, view):
    rounds = _by_round(game.players, view.history[: view.moves].tolist())
    public = "" if view.public < 0 else f"[Public: {view.public}]"
    money = " ".join(f"{100 - paid}" for paid in view.paid)
    first, second = (" ".join(map(str, moves)) for moves in rounds)
    return (
        f"[Observer: {view.seat}][Private: {view.card}][Round {1 if view.public < 0 else 2}][Player: {view.seat}]"
        f"[Pot: {view.paid.sum()}][Money: {money}]{public}[Round1: {first}][Round2: {second}]"
    )


def _by_round(players, history):
    """The moves of each round: it ends when all who are left have acted since the last raise."""
    rounds, left, waiting = [[], []], players, players
    at = 0
    for move in history:
        rounds[at].append(move)
        left -= move == 0
        waiting = left - 1 if move == 2 else waiting - 1
        if waiting == 0:
            at, waiting = 1, left
    return rounds


def dice_name(game, view):
    dice = "".join(str(face + 1) * count for face, count in enumerate(view.hand))
    bids = [f"{1 + bid // game.sides}-{1 + bid % game.sides}" for bid in np.flatnonzero(view.bids)]
    return " ".join([dice, *bids])


NAMES = {"kuhn": kuhn_name, "leduc": leduc_name, "liars-dice": dice_name}


def names(form):
    """OpenSpiel's name of every information set."""
    import jax

    game, views = form.tree.game, form.tree.views
    each = (jax.tree.map(lambda leaf, i=i: leaf[i], views) for i in range(len(form.tree.infosets)))
    return [NAMES[game.name](game, view) for view in each]


def as_theirs(form, policy):
    """A policy in OpenSpiel's hands."""
    legal = form.tree.infosets.legal
    rows = {
        name: [(int(a), float(row[a])) for a in np.flatnonzero(mask)]
        for name, row, mask in zip(names(form), policy, legal, strict=True)
    }
    assert len(rows) == len(legal)
    return pyspiel.TabularPolicy(rows)


def as_ours(form, policy):
    """A policy out of OpenSpiel's hands, float64[sets, actions]."""
    out = np.zeros(form.tree.infosets.legal.shape)
    for row, name in zip(out, names(form), strict=True):
        for action, chance in policy.get_state_policy(name):
            row[action] = chance
    return out


def random_policy(form, seed):
    """Mixed here, pure there, some actions never: every kind of row."""
    draw = np.random.default_rng(seed)
    legal = form.tree.infosets.legal
    weights = draw.gamma(0.4, size=legal.shape) * legal + 1e-9 * legal
    return weights / weights.sum(axis=1, keepdims=True)
