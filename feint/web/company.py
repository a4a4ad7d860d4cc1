"""Agents at the lab's tables: asked in batches across tables, in a thread of their own, so that nobody waits for anybody else's."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache, partial
from threading import Lock
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint import chance, outside, secrecy
from feint.agent import is_compiled
from feint.errors import UserError
from feint.game import Game
from feint.registry import make_agent
from feint.table import state_of
from feint.web.allowed import goes_by_name

BATCH = 8  # questions of one call: fewer are filled up, so that there is one program for each agent
LIMIT = 20.0  # seconds that an agent which is not compiled may take


def seated(spec: str, game: Game) -> Any:
    """The agent a visitor asked for; files and programs of the server are not for them to name."""
    if not goes_by_name(spec):
        raise UserError(
            f"{spec[:60]!r} is not an agent that goes by its name, or one of the zoo: choose one of those offered."
        )
    return _made(spec, game)


@lru_cache(maxsize=256)
def _made(spec: str, game: Game) -> Any:
    return make_agent(spec, game)


@dataclass
class Sitting:
    """An agent in a chair, and what it remembers of the match."""

    spec: str
    agent: Any
    since: tuple[int, int]  # the round and the move from which on it has sat there
    memory: Any = None
    begun: bool = False

    @property
    def remembers(self) -> bool:
        """Whether anything it has seen makes a difference."""
        return bool(jax.tree.leaves(self.memory)) if is_compiled(self.agent) else hasattr(self.agent, "begin")


@dataclass(frozen=True)
class Question:
    """A turn at a table: `packed` is all there is to know, of which a compiled agent is shown its view; others are given that and what is legal."""

    game: Game
    sitting: Sitting
    bits: np.ndarray  # uint32[2]: the chance of this move
    packed: np.ndarray | None = None  # uint8[bytes], as a table has it
    view: Any = None
    legal: Any = None  # bool[actions]


@dataclass
class Company:
    """Those who answer. Compiled agents take one thread, in turn; plain ones have others, and cannot hold them up."""

    compiled: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "agents"))
    plain: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, "plain-agents"))
    batches: int = 0
    asked: int = 0
    _waiting: dict[Any, list[tuple[Question, asyncio.Future[int]]]] = field(default_factory=lambda: defaultdict(list))
    _lock: Any = field(default_factory=Lock)

    async def ask(self, question: Question) -> int:
        """What the agent does; its memory is then that after the move."""
        loop, agent = asyncio.get_running_loop(), question.sitting.agent
        if not is_compiled(agent):
            return await loop.run_in_executor(self.plain, _ask_plain, question)
        answer: asyncio.Future[int] = loop.create_future()
        kind = question.game, question.sitting.spec
        with self._lock:
            self._waiting[kind].append((question, answer))
            first = len(self._waiting[kind]) == 1
        if first:  # whoever asks while the thread is busy is asked together with all others of its kind
            loop.run_in_executor(self.compiled, self._answer, kind, loop)
        return await answer

    def _answer(self, kind: Any, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            taken = self._waiting.pop(kind)
        for begins in range(0, len(taken), BATCH):
            some = taken[begins : begins + BATCH]
            self.batches, self.asked = self.batches + 1, self.asked + len(some)
            try:
                settle = partial(_settle, some, act([question for question, _ in some]), None)
            except Exception as failed:
                settle = partial(_settle, some, None, failed)
            loop.call_soon_threadsafe(settle)

    def close(self) -> None:
        self.compiled.shutdown(wait=False, cancel_futures=True)
        self.plain.shutdown(wait=False, cancel_futures=True)


def begin(game: Game, sitting: Sitting, chair: int, secret: bytes) -> None:
    """An agent learns that it sits at a match."""
    if is_compiled(sitting.agent):
        sitting.memory = _read(_begin(game, sitting.agent, np.int32(chair), bits(secret, f"begin {chair}")))
    else:
        (_, sitting.agent) = outside.apart([sitting.agent, sitting.agent])
        outside.begin(sitting.agent, game, chair)
    sitting.begun = True


def finish(sitting: Sitting, view: Any, rewards: np.ndarray, seat: int, secret: bytes) -> None:
    """An agent that remembers learns how a game ended."""
    if not is_compiled(sitting.agent):
        outside.finish(sitting.agent, view, rewards)
    elif sitting.remembers:
        given = (sitting.memory, view, rewards, bits(secret, f"finish {seat}"))
        sitting.memory = _read(_finish(sitting.agent, *given))


def bits(secret: bytes, use: str) -> np.ndarray:
    """The chance of one thing an agent does, uint32[2]: of a game's secret, so that nobody can foretell it."""
    return np.frombuffer(secrecy.derived(secret, use)[:8], "<u4").copy()


def _settle(
    asked: Sequence[tuple[Question, asyncio.Future[int]]], answers: list[tuple[int, Any]] | None, failed: Any
) -> None:
    for number, (question, future) in enumerate(asked):
        if future.cancelled():
            continue
        if answers is None:
            future.set_exception(failed)
        else:
            action, question.sitting.memory = answers[number]
            future.set_result(action)


def _ask_plain(question: Question) -> int:
    sitting = question.sitting
    asked = outside.Question(question.view, question.legal.copy())
    (answer,) = outside.ask([sitting.agent], [sitting.spec], [asked], LIMIT)
    outside.check_legal(question.game, sitting.spec, question.view, question.legal, answer, 0)
    return answer


def act(questions: Sequence[Question]) -> list[tuple[int, Any]]:
    """What a compiled agent does at each table, and its memory there after it."""
    filled = [*questions, *[questions[0]] * (BATCH - len(questions))]
    given = ((each.sitting.memory, each.packed, each.bits) for each in filled)
    memories, packed, of_moves = jax.tree.map(_stacked, *given)
    game, agent = questions[0].game, questions[0].sitting.agent
    actions, after = _act_together(game, agent, memories, packed, of_moves)
    chosen, after = np.asarray(actions).tolist(), _read(after)
    return [(chosen[nth], jax.tree.map(lambda leaf, nth=nth: leaf[nth], after)) for nth in range(len(questions))]


def _read(memory: Any) -> Any:
    """The same as NumPy arrays, but for keys."""
    return jax.tree.map(lambda leaf: leaf if _is_key(leaf) else np.asarray(leaf), memory)


def _stacked(*leaves: Any) -> Any:
    return jnp.stack(leaves) if _is_key(leaves[0]) else np.stack(leaves)


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


@jax.jit
def _act_together(game: Any, agent: Any, memories: Any, packed: Any, of_moves: Any) -> Any:
    lies = state_of(game)

    def one(memory: Any, packed: Any, bits: Any) -> Any:
        state = lies.unpack(packed)
        view = game.observe(state, state.current_player)
        action, after = agent.act(memory, view, state.legal_action_mask, chance.from_bits(bits))
        legal = state.legal_action_mask
        return jnp.where(legal[action], action, chance.first(legal)), after

    return jax.vmap(one)(memories, packed, of_moves)


@jax.jit
def _begin(game: Any, agent: Any, chair: Any, bits: Any) -> Any:
    return agent.begin(game, chair, chance.from_bits(bits))


@jax.jit
def _finish(agent: Any, memory: Any, view: Any, rewards: Any, bits: Any) -> Any:
    return agent.finish(memory, view, rewards, chance.from_bits(bits))
