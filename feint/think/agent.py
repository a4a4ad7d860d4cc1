"""An agent that plays another's best actions on, in many hidden worlds, before it takes one of them.

In every world all of them are played on with the same chance, so that only what they bring about makes a difference.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent, Memory, at_game, tells_chances
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, option, pytree
from feint.options import agent_option
from feint.steps import begun, choose
from feint.think.worlds import everywhere, log_likelihood, replayed, rewinds, tells_moves
from feint.ways import where

SLIP = 0.02  # how often others are taken to do anything at all: nothing that was seen is impossible then
GRAIN = 2.0**-13  # of the greatest gain


@pytree
class Think:
    """Plays an agent's best actions on in hidden worlds that fit what was seen, and takes the one that does best there."""

    heavy: ClassVar[bool] = True
    tables: ClassVar[int] = 1  # a single one keeps a machine busy

    agent: Any = agent_option("whose actions are thought over")
    worlds: int = option(32, "hidden worlds at a decision", least=1, most=100_000, static=True)
    candidates: int = option(
        4, "actions that are played on, the agent's choice among them", least=2, most=1000, static=True
    )
    sure: float = option(
        1.0, "standard errors by which another action must do better than the agent's choice", least=0, most=100
    )
    playout: Any = agent_option("who plays on in all seats, in place of the agent", default=None)
    aim: str = option(
        "measure",
        "what is counted: wins, payoff, or what the game is measured by",
        choices=("measure", "wins", "payoff"),
        static=True,
    )
    weigh: bool = option(
        True,
        "weighs worlds by how likely the agent would have made the moves that led to them, where the game tells these",
        static=True,
    )
    sift: int = option(
        1,
        "times as many worlds are dealt: those that are played on are drawn from them, each as often as it is likely",
        least=1,
        most=10_000,
        static=True,
    )
    depth: int = option(
        0,
        "moves after which one's next decision is judged by the agent's critic, not played on; 0 plays on to the end",
        least=0,
        most=100_000,
        static=True,
    )
    game: Any = None  # given when it sits down

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        if self.game is None:
            raise UserError("think must know the game that it plays: make it by feint.make_agent, or give it `game`.")
        if self.depth and getattr(self._own, "critic", None) is None:
            raise UserError(
                "think: depth asks the agent's critic, and this agent keeps none: files that feint train writes with ppo or mmd do."
            )
        if self.depth and self.aim == "wins":
            raise UserError("think: critics tell payoffs, not wins: leave out aim=wins or depth.")
        return self._own.begin(game, seat, key)

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        chosen, memory = self._own.act(memory, view, legal, key)
        actions, there = liked(self._own, view, legal, chosen, self.candidates)
        values, weights = self._tried(view, actions, chance.thought_key(key))
        return actions[best(values, weights, there, self.sure)], memory

    def finish(self, memory: Memory, view: Any, rewards: Array, key: Key) -> Memory:
        return self._own.finish(memory, view, rewards, key)

    @property
    def _own(self) -> Agent:
        return at_game(self.agent, self.game)

    @property
    def _player(self) -> Agent:
        return self._own if self.playout is None else at_game(self.playout, self.game)

    def _tried(self, view: Any, actions: Array, key: Key) -> tuple[Array, Array]:
        """What comes of each action in each world, float32[worlds, actions], and how likely the worlds are, float32[worlds]."""
        game, seat, count = self.game, view.seat, len(actions)
        deal_keys, play_keys, look_keys = jax.random.split(key, (3, self.worlds * self.sift))
        try:
            worlds = jax.vmap(lambda key: game.redeal(view, key))(deal_keys)
        except NotImplementedError as missing:
            raise UserError(f"Nobody can think in {game.name}: it deals no hidden worlds (redeal).") from missing
        worlds, logs = jax.vmap(partial(self._weighed, view))(worlds, look_keys)
        weights = jax.nn.softmax(logs)
        if self.sift > 1:
            kept = sifted(weights, self.worlds)
            worlds, weights = jax.tree.map(lambda leaf: leaf[kept], worlds), jnp.full(self.worlds, 1 / self.worlds)

        def value(game: Array) -> Array:
            nth, action = game // count, actions[game % count]
            world = jax.tree.map(lambda leaf: leaf[nth], worlds)
            return self._played_on(world, action, seat, play_keys[nth])

        # Mapped once, over all games: an agent that asks only some of them sees them all.
        values = jax.vmap(value)(jnp.arange(self.worlds * count))
        return values.reshape(self.worlds, count), weights

    def _weighed(self, view: Any, world: Any, key: Key) -> tuple[Any, Array]:
        """A world, in which others may have moved again, and the logarithm of its weight, float32; worlds are alike where the game does not tell."""
        game, seat = self.game, view.seat
        if self.weigh and tells_moves(game):
            moves = game.moves_seen(view)
            return world, log_likelihood(game, self._own, world, seat, moves, (moves >= 0).sum(), key, SLIP)
        if self.weigh and rewinds(game):
            world, fits = replayed(game, self._own, world, view, key)
            return world, jnp.where(fits, 0.0, jnp.log(SLIP))
        return world, jnp.float32(0)

    def _played_on(self, world: Any, action: Array, seat: Array, key: Key) -> Array:
        """What a seat has of a game that goes on with an action, float32."""
        game, player, seats = self.game, self._player, everywhere(self.game)

        def goes_on(carry: Any) -> Array:
            state, _, _, moves = carry
            judged = (moves >= self.depth) & (state.current_player == seat) if self.depth else False
            return ~(state.terminated | judged)

        def advance(carry: Any) -> Any:
            state, memories, paid, moves = carry
            chosen, after = choose(game, (player,), seats, memories, state, chance.move_key(key, moves))
            first = moves == 0
            state = game.step(state, jnp.where(first, action, chosen))
            return state, where(first, memories, after), paid + state.rewards, moves + 1

        start = (world, begun(game, (player,), seats, key), jnp.zeros(game.players), jnp.int32(0))
        state, _, paid, _ = jax.lax.while_loop(goes_on, advance, start)
        if self.depth:
            to_come = self._own.critic.value(game, state, seat)  # type: ignore[attr-defined]
            return paid[seat] + jnp.where(state.terminated, 0.0, to_come)
        if (game.measure if self.aim == "measure" else self.aim) == "wins":
            return game.winners(state, paid)[seat].astype(jnp.float32)
        return paid[seat]


def liked(agent: Agent, view: Any, legal: Array, chosen: Array, count: int) -> tuple[Array, Array]:
    """The actions that an agent likes most, what it has chosen first, int32[count], and which of these are legal, bool[count]; there are no
    more than a game has actions."""
    if hasattr(agent, "preferences"):
        likes = agent.preferences(view, legal)
    else:
        likes = agent.probabilities(view, legal) if tells_chances(agent) else jnp.zeros(len(legal))  # type: ignore[attr-defined]
    likes = jnp.where(jnp.arange(len(legal)) == chosen, jnp.inf, jnp.where(legal, likes, -jnp.inf))
    order, actions = jax.lax.top_k(likes, min(count, len(legal)))
    return actions.astype(jnp.int32), order > -jnp.inf


def sifted(weights: Array, count: int) -> Array:
    """The places of so many worlds, each as often as its weight says, to less than one, int32[count]."""
    sums = jnp.cumsum(weights)
    return jnp.searchsorted(sums, (jnp.arange(count) + 0.5) / count * sums[-1]).astype(jnp.int32)


def best(values: Array, weights: Array, there: Array, sure: Array | float) -> Array:
    """The place of the best action, by values, float32[worlds, actions], in worlds of so much weight, float32[worlds]: the first one, unless
    another, of those that are `there`, bool[actions], is better by so many standard errors, int32."""
    gains = values - values[:, :1]
    means = weights @ gains
    errors = jnp.sqrt(weights**2 @ (gains - means) ** 2)
    grain = GRAIN * jnp.abs(gains).max()  # what is nearer than this is the same, however sums are rounded
    clear = there & (means - sure * errors > grain)
    return jnp.argmax(jnp.where(clear, jnp.round(means / grain), 0.0))
