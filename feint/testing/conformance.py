"""The conformance suite: what every game must keep, run on feint's own games by its tests and by anyone on theirs.

from feint.testing import check_game
check_game(MyGame())
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, is_dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy import stats

from feint import chance, deals
from feint.errors import NotSmall, UserError
from feint.game import SPECTATOR, Game, Rows
from feint.hashing import chain, digest

AnyGame = Game[Any, Any]
LOOKED_AT = 48  # positions a check of single positions looks at
ALPHA = 1e-6  # a chi-square check fails a right game once in a million runs


class ConformanceError(AssertionError):
    """A game breaks the contract; the message says which part, where and how."""


@dataclass
class Report:
    """What was checked, and on how much play."""

    game: str
    passed: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join([f"{self.game} keeps the contract:", *(f"  {name}: {what}" for name, what in self.passed)])


def check_game(game: AnyGame, seed: int = 0, games: int = 64) -> Report:
    """Check a game against the whole contract; raise `ConformanceError` at the first breach."""
    report = Report(str(game))
    played = _play_to_the_end(game, seed, games)
    report.passed.append(("every game ends", f"{games} random games, {played.moves.mean():.0f} moves on average"))
    positions = _sample(played.positions, seed)
    for name, check in (
        ("payoffs add up", partial(_check_payoffs, game, played)),
        ("somebody wins, or nobody", partial(_check_winners, game, played)),
        ("a finished game stays as it is", partial(_check_finished, game, played)),
        ("deals and steps are deterministic", partial(_check_deterministic, game, positions, seed)),
        ("the mask is exact", partial(_check_mask, game, positions)),
        ("nothing leaks", partial(_check_leaks, game, positions, seed)),
        ("spectators see what everybody knows", partial(_check_spectators, game, positions, seed)),
        ("finished games show what they may", partial(_check_shown, game, played, seed)),
        ("views are remembered", partial(_check_recall, game, seed)),
        ("every action has words", partial(_check_words, game, positions)),
        ("deals can be written down", partial(_check_written, game, seed)),
        ("deals agree with draws", partial(_check_deals, game, seed)),
        ("redeals agree with deals", partial(_check_redeals, game, seed)),
    ):
        report.passed.append((name, check()))
    return report


# --- random play ---------------------------------------------------------------------------------------------------


@dataclass
class _Played:
    last: Any  # State[games]
    paid: np.ndarray  # float[games, players]: by all moves together
    early: np.ndarray  # bool[games]: whether anything was paid before the last move
    moves: np.ndarray  # int[games]
    positions: list[Any]  # State[games], at several times of play, with those that were over


def _play_to_the_end(game: AnyGame, seed: int, games: int) -> _Played:
    keys = jax.vmap(lambda table: chance.game_key(seed, table, 0))(jnp.arange(games))
    states = jax.jit(jax.vmap(lambda key: game.init(chance.deal_key(key))))(keys)
    _require(jax.jit(jax.vmap(game.sound))(states), "sound(state) is false for a deal")
    stretch = min(64, max(1, game.longest // 8))

    @jax.jit
    @jax.vmap
    def play_on(key: chance.Key, state: Any, start: Array) -> tuple[Any, ...]:
        def advance(state: Any, move: Array) -> tuple[Any, tuple[Array, ...]]:
            action = chance.choice(chance.move_key(key, move), state.legal_action_mask)
            after = game.step(state, action)
            can_move = state.terminated | state.legal_action_mask.any()
            early = ~after.terminated & (after.rewards != 0).any()
            return after, (game.sound(after), can_move, ~state.terminated, after.rewards, early)

        state, (sound, can_move, moved, paid, early) = jax.lax.scan(advance, state, start + jnp.arange(stretch))
        return state, sound.all(), can_move.all(), moved.sum(), paid.sum(axis=0), early.any()

    positions, moves, start = [states], np.zeros(games, int), 0
    paid, early = np.zeros((games, game.players)), np.zeros(games, bool)
    while not bool(states.terminated.all()):
        if start > game.longest:
            stuck = int(np.argmin(np.asarray(states.terminated)))
            raise ConformanceError(f"Game {stuck} of seed {seed} is not over after longest = {game.longest} moves.")
        states, sound, can_move, moved, paid_now, early_now = play_on(keys, states, jnp.full(games, start))
        where = f"in the {stretch} moves after move {start}, seed {seed}"
        _require(sound, f"sound(state) is false {where}")
        _require(can_move, f"a game that is not over has no legal action {where}")
        moves += np.asarray(moved)
        paid += np.asarray(paid_now)
        early |= np.asarray(early_now)
        start += stretch
        positions.append(states)
    return _Played(states, paid, early, moves, positions)


def _sample(positions: list[Any], seed: int) -> Any:
    """Positions still in play, State[LOOKED_AT], spread over the whole length of games."""
    every = jax.tree.map(lambda *leaves: np.concatenate([np.asarray(leaf) for leaf in leaves]), *positions)
    on = np.flatnonzero(~every.terminated)
    chosen = np.random.default_rng(seed).choice(on, LOOKED_AT, replace=len(on) < LOOKED_AT)
    return jax.tree.map(lambda leaf: jnp.asarray(leaf[chosen]), every)


def _require(holds: Any, what: str) -> None:
    """Every entry of `holds`, bool[games], must be true."""
    failing = np.flatnonzero(~np.asarray(holds))
    if len(failing):
        raise ConformanceError(f"{what[0].upper()}{what[1:]} (game {failing[0]}; {len(failing)} of {len(holds)}).")


# --- single properties ---------------------------------------------------------------------------------------------


def _check_payoffs(game: AnyGame, played: _Played) -> str:
    if not np.isfinite(played.paid).all():
        raise ConformanceError("A payoff is not a number.")
    if not game.pays_early:
        _require(~played.early, "something is paid before the end, and pays_early does not say so")
    least, most = game.payoff_range
    inside = (played.paid >= least - 1e-5) & (played.paid <= most + 1e-5)
    _require(inside.all(axis=1), f"payoffs leave the range from {least:g} to {most:g}")
    if game.payoff_sum is None:
        return f"between {least:g} and {most:g}; no sum promised"
    sums = played.paid.sum(axis=1)
    _require(np.abs(sums - game.payoff_sum) < 1e-5, f"payoffs do not sum to {game.payoff_sum}")
    return f"to {game.payoff_sum:g} in every game, between {least:g} and {most:g} each"


def _check_winners(game: AnyGame, played: _Played) -> str:
    """Who won is said for each player, and nobody who did not win is paid more than somebody who did."""
    won = np.asarray(jax.jit(jax.vmap(game.winners))(played.last, jnp.asarray(played.paid, jnp.float32)))
    if won.shape != played.paid.shape or won.dtype != bool:
        raise ConformanceError(f"winners gives {won.dtype}{list(won.shape[1:])}, not bool[{game.players}].")
    poorest = np.where(won, played.paid, np.inf).min(axis=1)
    richest = np.where(won, -np.inf, played.paid).max(axis=1)
    _require(richest <= poorest + 1e-5, "somebody who did not win is paid more than somebody who did")
    return f"{won.any(axis=1).sum()} of {len(won)} games have {won.sum(axis=1).max()} winners at the most"


def _check_finished(game: AnyGame, played: _Played) -> str:
    after = jax.jit(jax.vmap(game.step))(played.last, jnp.zeros(len(played.moves), jnp.int32))
    if np.asarray(after.rewards).any():
        raise ConformanceError("A step in a finished game pays again.")
    different = _first_difference(_without_rewards(played.last), _without_rewards(after))
    if different:
        raise ConformanceError(f"A step in a finished game changes {different}.")
    return "and pays nothing more"


def _without_rewards(state: Any) -> dict[str, Any]:
    return {name: leaf for name, leaf in _named(state).items() if name != ".rewards"}


def _check_deterministic(game: AnyGame, positions: Any, seed: int) -> str:
    """The same deal and step compiled twice, mapped over games, and run without compilation."""
    keys = jax.vmap(lambda table: chance.game_key(seed, table, 1))(jnp.arange(4))
    actions = _first_legal(positions)
    deals = [jax.jit(jax.vmap(lambda key: game.init(key)))(keys) for _ in range(2)]
    steps = [jax.jit(jax.vmap(lambda state, action: game.step(state, action))) for _ in range(2)]
    _require_same(deals[0], deals[1], "init differs between two compilations")
    mapped = steps[0](positions, actions)
    _require_same(mapped, steps[1](positions, actions), "step differs between two compilations")
    _require_same(mapped, steps[0](positions, actions), "step differs between two runs")
    for i in range(3):
        state, action = _at(positions, i), actions[i]
        _require_same(_at(mapped, i), jax.jit(game.step)(state, action), "step differs under vmap")
        _require_same(_at(mapped, i), game.step(state, action), "step differs under jit")
    return "compiled, mapped and plain give the same"


def _first_legal(positions: Any) -> Array:
    return jnp.argmax(positions.legal_action_mask, axis=1)


def _check_mask(game: AnyGame, positions: Any) -> str:
    """Every legal action leads on, soundly, and no two of them to the same state; an illegal one becomes the first legal one."""

    @jax.jit
    @jax.vmap
    def try_all(state: Any) -> tuple[Any, Array]:
        after = jax.vmap(game.step, (None, 0))(state, jnp.arange(game.actions))
        return after, jax.vmap(game.sound)(after)

    after, sound = try_all(positions)
    legal = np.asarray(positions.legal_action_mask)
    if legal.shape[1:] != (game.actions,):
        raise ConformanceError(f"The mask has shape {legal.shape[1:]}; the game has {game.actions} actions.")
    rows = _rows(after)  # bytes[positions, actions]
    before = _rows(positions)
    for i, mask in enumerate(legal):
        allowed, refused = np.flatnonzero(mask), np.flatnonzero(~mask)
        for action in allowed:
            if not sound[i, action]:
                raise ConformanceError(f"Legal action {action} leads to a state that is not sound.")
            if rows[i, action] == before[i]:
                raise ConformanceError(f"Legal action {action} changes nothing.")
        if len({rows[i, action] for action in allowed}) < len(allowed):
            raise ConformanceError(f"Two of the legal actions {allowed.tolist()} lead to the same state.")
        if any(rows[i, action] != rows[i, allowed[0]] for action in refused):
            raise ConformanceError("step does not replace an illegal action by the first legal one.")
    return f"{legal.sum()} legal and {(~legal).sum()} illegal actions tried"


def _check_leaks(game: AnyGame, positions: Any, seed: int) -> str:
    """Whatever a player cannot know is dealt anew, and nothing that it sees may move."""
    players = jnp.arange(game.players)

    @jax.jit
    @jax.vmap
    def look(state: Any, key: chance.Key) -> tuple[Any, ...]:
        def through(player: Array) -> tuple[Any, ...]:
            view = game.observe(state, player)
            other = game.redeal(view, jax.random.fold_in(key, player))
            again = game.observe(other, player)
            to_move = state.current_player == player
            same_mask = ~to_move | (state.legal_action_mask == other.legal_action_mask).all()
            same_turn = state.current_player == other.current_player
            on = ~other.terminated
            codes = _inputs(game, view), _inputs(game, again)
            return view, again, *codes, same_mask, same_turn, game.sound(other), on

        return jax.vmap(through)(players)

    keys = jax.vmap(lambda table: chance.game_key(seed, table, 2))(jnp.arange(LOOKED_AT))
    view, again, code, code_again, same_mask, same_turn, sound, on = look(positions, keys)
    different = _first_difference(view, again)
    if different:
        raise ConformanceError(f"A view changes when hidden things are dealt anew: its field {different} leaks.")
    for name, piece in code.items():
        if not bool(jnp.isfinite(piece).all()):
            raise ConformanceError(f"encode(view) must give finite numbers, and its piece {name} is not finite.")
        if not bool((piece == code_again[name]).all()):
            raise ConformanceError(f"An encoding changes when hidden things are dealt anew: its piece {name} leaks.")
    _require(same_mask.all(axis=1), "legal actions change when hidden things are dealt anew")
    _require(same_turn.all(axis=1), "whose turn it is changes when hidden things are dealt anew")
    _require((sound & on).all(axis=1), "redeal(view) gives a state that is over or not sound")
    return f"{LOOKED_AT} positions dealt anew through the eyes of {game.players} players"


def _inputs(game: AnyGame, view: Any) -> dict[str, Array]:
    """The pieces of an encoding as networks read them, float32."""
    given = game.encode(view)
    if not isinstance(given, dict):
        raise ConformanceError("encode(view) must give named pieces, a dict.")
    plain = {name: piece.values if isinstance(piece, Rows) else piece for name, piece in given.items()}
    for name, piece in given.items():
        if isinstance(piece, Rows) and jnp.ndim(plain[name]) != 2:
            raise ConformanceError(f"encode(view) must give the sequence {name} as float32[rows, width].")
    return {name: jnp.asarray(piece, jnp.float32) for name, piece in plain.items()}


def _check_spectators(game: AnyGame, positions: Any, seed: int) -> str:
    """A spectator's view is nobody's, and whatever any player cannot know may change without it."""
    players = jnp.arange(game.players)

    @jax.jit
    @jax.vmap
    def look(state: Any, key: chance.Key) -> tuple[Any, Any]:
        def through(player: Array) -> Any:
            return game.spectate(game.redeal(game.observe(state, player), jax.random.fold_in(key, player)))

        return jax.vmap(lambda _: game.spectate(state))(players), jax.vmap(through)(players)

    keys = jax.vmap(lambda table: chance.game_key(seed, table, 7))(jnp.arange(LOOKED_AT))
    seen, again = look(positions, keys)
    if not bool((seen.seat == SPECTATOR).all()):
        raise ConformanceError("A spectator's view does not have SPECTATOR for its seat.")
    different = _first_difference(seen, again)
    if different:
        raise ConformanceError(f"A spectator sees what some player cannot know: the field {different} of its view.")
    return f"{LOOKED_AT} positions"


def _check_shown(game: AnyGame, played: _Played, seed: int) -> str:
    """What a player sees of a finished game leads by redeal to a finished game that looks the same and paid the same."""
    players = jnp.arange(game.players)

    @jax.jit
    @jax.vmap
    def look(state: Any, paid: Array, key: chance.Key) -> tuple[Any, ...]:
        def through(player: Array) -> tuple[Any, ...]:
            view = game.observe(state, player)
            other = game.redeal(view, jax.random.fold_in(key, player))
            alike = game.pays_early | jnp.allclose(other.rewards, paid, atol=1e-5)
            return view, game.observe(other, player), other.terminated, alike, game.sound(other)

        return jax.vmap(through)(players)

    keys = jax.vmap(lambda table: chance.game_key(seed, table, 8))(jnp.arange(len(played.moves)))
    view, again, over, alike, sound = look(played.last, jnp.asarray(played.paid), keys)
    _require(over.all(axis=1), "redeal of a finished game's view gives a game that is not over")
    _require(sound.all(axis=1), "redeal of a finished game's view gives a state that is not sound")
    different = _first_difference(view, again)
    if different:
        raise ConformanceError(f"The view of a finished game changes when what it hides is dealt anew: {different}.")
    _require(alike.all(axis=1), "what a finished game paid does not follow from what a player sees of it")
    return f"{len(played.moves)} of them"


def _check_recall(game: AnyGame, seed: int) -> str:
    """What a player saw between its moves must show in what it sees when it moves, or its past would be lost to it.

    Many games of a few deals are followed. Two that look the same to a player at its own moves must have looked
    the same to it all the way.
    """
    deals, games, moves = 8, 48, min(game.longest, 80)
    players = jnp.arange(game.players)

    @jax.jit
    @jax.vmap
    def follow(table: Array) -> tuple[Array, Array, Array]:
        key = chance.game_key(seed, table, 3)
        start = game.init(chance.deal_key(chance.game_key(seed, table // games, 4)))

        def advance(carry: tuple[Any, Array, Array, Array], move: Array) -> tuple[Any, tuple[Array, Array, Array]]:
            state, seen, last, own = (
                carry  # uint32[players, 2] each: all that was seen, the latest view, one's own moves
            )
            views = jax.vmap(lambda player: digest(game.observe(state, player)))(players)
            changed = (views != last).any(axis=1, keepdims=True)
            seen = jnp.where(changed, chain(seen, views), seen)
            mover = state.current_player
            at_move = chain(own[mover], views[mover])
            action = chance.choice(chance.move_key(key, move), state.legal_action_mask)
            own = own.at[mover].set(chain(at_move, jnp.full(2, action, jnp.uint32)))
            who = jnp.where(state.terminated, -1, mover)
            return (game.step(state, action), seen, views, own), (who, at_move, seen[mover])

        blank = jnp.zeros((game.players, 2), jnp.uint32)
        return jax.lax.scan(advance, (start, blank, blank, blank), jnp.arange(moves))[1]

    who, at_moves, seen = (np.asarray(each) for each in follow(jnp.arange(deals * games)))
    known: dict[tuple[int, bytes], bytes] = {}
    for player, own, everything in zip(who.ravel(), at_moves.reshape(-1, 2), seen.reshape(-1, 2), strict=True):
        if player >= 0 and known.setdefault((player, own.tobytes()), everything.tobytes()) != everything.tobytes():
            raise ConformanceError(
                f"Player {player} saw two histories differ, but its views and actions at its own moves are the same: "
                "a view must hold what happened since the player's last move."
            )
    return f"{deals * games} games of {deals} deals"


def _check_words(game: AnyGame, positions: Any) -> str:
    for i in range(4):
        state = _at(positions, i)
        view = game.observe(state, state.current_player)
        words = [game.describe(view, int(action)) for action in np.flatnonzero(state.legal_action_mask)]
        if not all(words) or len(set(words)) < len(words):
            raise ConformanceError(f"describe gives two legal actions the same words, or none: {words}.")
    return "and no two the same"


def _check_written(game: AnyGame, seed: int) -> str:
    """A deal survives being written down, and deals what was drawn."""
    for number in range(4):
        key = chance.game_key(seed, number, 9)
        drawn = game.draw(key)
        if not is_dataclass(drawn):
            raise ConformanceError("draw(key) does not give a pytree with named fields: write @pytree above its class.")
        try:
            read = deals.read(game, json.loads(json.dumps(deals.written(drawn))))
        except UserError as refused:
            raise ConformanceError(f"A deal that was drawn is refused when it is read again: {refused}") from None
        _require_same(game.deal(read), game.init(key), "init(key) is not deal(draw(key))")
    return "and dealt again"


def _check_deals(game: AnyGame, seed: int) -> str:
    try:
        every, probabilities = game.deals()
    except NotSmall:
        return "too many to list"
    chances = np.asarray(probabilities, float)
    if abs(chances.sum() - 1) > 1e-5 or (chances <= 0).any():
        raise ConformanceError(
            f"The probabilities of deals() sum to {chances.sum()}, not to 1, or one is not positive."
        )
    keys = jax.vmap(lambda table: chance.game_key(seed, table, 5))(jnp.arange(max(2000, 20 * len(chances))))
    drawn = jax.jit(jax.vmap(game.draw))(keys)
    _require_distribution(_rows(every, len(chances)), chances, _rows(drawn, len(keys)), "draws")
    return f"{len(chances)} deals"


def _check_redeals(game: AnyGame, seed: int) -> str:
    """At the start, a redeal is a draw from the deals that look the same to the player."""
    try:
        every, probabilities = game.deals()
    except NotSmall:
        return "too many to list"
    starts = jax.jit(jax.vmap(game.deal))(every)
    observe = jax.jit(jax.vmap(game.observe, (0, None)))
    redeal = jax.jit(jax.vmap(game.redeal, (None, 0)))
    keys = jax.vmap(lambda table: chance.game_key(seed, table, 6))(jnp.arange(1000))
    rows, chances = _rows(starts), np.asarray(probabilities, float)
    for player in range(game.players):
        views = observe(starts, jnp.int32(player))
        look = _rows(views)
        same = np.array([each == look[0] for each in look])  # numpy would drop the zeros at the end of bytes
        given = chances[same] / chances[same].sum()
        _require_distribution(rows[same], given, _rows(redeal(_at(views, 0), keys)), f"player {player}'s redeals")
    return f"for each of {game.players} players"


def _require_distribution(rows: np.ndarray, chances: np.ndarray, drawn: np.ndarray, what: str) -> None:
    index = {row: i for i, row in enumerate(rows)}
    if len(index) < len(rows):
        raise ConformanceError("deals() lists a deal twice.")
    counts = np.zeros(len(rows))
    for row in drawn:
        if row not in index:
            raise ConformanceError(f"{what[0].upper()}{what[1:]} include a deal that deals() does not list.")
        counts[index[row]] += 1
    if len(rows) > 1 and stats.chisquare(counts, chances / chances.sum() * len(drawn)).pvalue < ALPHA:
        raise ConformanceError(f"{what[0].upper()}{what[1:]} do not have the probabilities that deals() gives.")


# --- comparing trees -----------------------------------------------------------------------------------------------


def _named(tree: Any) -> dict[str, Any]:
    return {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}


def _first_difference(one: Any, other: Any) -> str | None:
    """The name of the first leaf in which two trees differ."""
    other_named = _named(other)
    for name, leaf in _named(one).items():
        if leaf.dtype != other_named[name].dtype or not np.array_equal(leaf, other_named[name]):
            return name
    return None


def _require_same(one: Any, other: Any, what: str) -> None:
    different = _first_difference(one, other)
    if different:
        raise ConformanceError(f"{what[0].upper()}{what[1:]}, in {different}.")


def _at(tree: Any, index: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], tree)


def _rows(tree: Any, count: int | None = None) -> np.ndarray:
    """A stack of trees as bytes, one for each: object[...]; without a count, a single number among the leaves tells how they are stacked."""
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]
    stacked = (count,) if count else min((leaf.shape for leaf in leaves), key=len)
    out = np.empty(stacked, object)
    for index in _indices(stacked):
        out[index] = b"".join(leaf[index].tobytes() for leaf in leaves)
    return out


def _indices(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return iter(np.ndindex(*shape))
