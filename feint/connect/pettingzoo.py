"""Games of feint as environments of PettingZoo: `env("bluff", players=3)`, and `parallel_env` for games whose players move at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from feint import registry
from feint.connect.board import Board, spaces_of
from feint.errors import UserError
from feint.game import Game

MODES = ["human", "ansi", "rgb_array"]


def env(
    game: str | Game[Any, Any] = "bluff",
    *,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **options: Any,
) -> Turns:
    """A game as PettingZoo's AEC environment. Illegal actions are replaced by the first legal one, as everywhere in feint's compiled play;
    wrap it in PettingZoo's `TerminateIllegalWrapper` where they are to lose the game. With `max_cycles` it is cut off after so many turns each."""
    return Turns(_made(game, options), render_mode, max_cycles)


def parallel_env(
    game: str | Game[Any, Any] = "bidding",
    *,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **options: Any,
) -> Rounds:
    """A game whose players move at once as PettingZoo's parallel environment."""
    return Rounds(_made(game, options), render_mode, max_cycles)


raw_env = env  # as PettingZoo's own modules name it


def _made(game: str | Game[Any, Any], options: dict[str, Any]) -> Game[Any, Any]:
    return registry.make(game, **options) if isinstance(game, str) else game


class _Environment:
    """What both kinds have: names, spaces, and what they look like."""

    metadata: dict[str, Any]
    render_mode: str | None

    def _settle(self, game: Game[Any, Any], render_mode: str | None, max_cycles: int | None) -> None:
        if render_mode not in (None, *MODES):
            raise UserError(f"render_mode must be one of {', '.join(MODES)}, not {render_mode!r}.")
        if max_cycles is not None and max_cycles < 1:
            raise UserError(f"max_cycles must be a whole number from 1 on, not {max_cycles}.")
        self.board, self.render_mode, self.max_cycles = Board(game), render_mode, max_cycles
        self.metadata = {
            "name": f"feint_{game.name}_v{game.version}",
            "render_modes": MODES,
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.possible_agents = self.board.names
        self._seats = {name: seat for seat, name in enumerate(self.possible_agents)}
        made = [spaces_of(game, self.board.layout) for _ in self.possible_agents]  # each its own: they are seeded apart
        self.observation_spaces = {name: shown for name, (shown, _) in zip(self.possible_agents, made, strict=True)}
        self.action_spaces = {name: action for name, (_, action) in zip(self.possible_agents, made, strict=True)}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seat = self._seats[agent]
        return {"observation": self.board.seen(seat), "action_mask": self.board.mask(seat)}

    def render(self) -> str | np.ndarray | None:
        """The table with all hands open: printed, as text, or as a picture."""
        if self.render_mode == "rgb_array":
            return self.board.picture()
        if self.render_mode == "ansi":
            return self.board.scene()
        if self.render_mode == "human":
            print(self.board.scene())
        return None

    def close(self) -> None:
        pass


class Turns(_Environment, AECEnv):
    """One game, its players in turns."""

    def __init__(self, game: Game[Any, Any], render_mode: str | None = None, max_cycles: int | None = None) -> None:
        AECEnv.__init__(self)
        self._settle(game, render_mode, max_cycles)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """The first game of a seed, or the next one."""
        self.board.deal(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self._turns = [0] * len(self.agents)
        self._select()

    def step(self, action: int | np.integer | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise UserError(f"It is the turn of {agent}: an action must be a number, not None.")
        self._cumulative_rewards[agent] = 0.0
        self._turns[self.board.player] += 1
        self.board.move(int(action))
        self.rewards = dict(zip(self.possible_agents, self.board.rewards, strict=True))
        if any(self.board.rewards):
            self._accumulate_rewards()
        if self.board.over:
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.max_cycles is not None and self._turns[self.board.player] >= self.max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
        self._select()
        if self.render_mode == "human":
            self.render()

    def _select(self) -> None:
        """Whose turn it is, and what everybody may do."""
        self.agent_selection = self.possible_agents[self.board.player]
        self.infos = {name: {"action_mask": self.board.mask(seat)} for seat, name in enumerate(self.possible_agents)}


class Rounds(_Environment, ParallelEnv):
    """One game, its players at once. Whoever is out of it is asked all the same, and may do anything."""

    def __init__(self, game: Game[Any, Any], render_mode: str | None = None, max_cycles: int | None = None) -> None:
        if not game.simultaneous:
            raise UserError(f"The players of {game.name} move in turns: take env(), not parallel_env().")
        self._settle(game, render_mode, max_cycles)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The first game of a seed, or the next one."""
        self.board.deal(seed)
        self.agents = self.possible_agents[:]
        self._rounds = 0
        return self._shown()

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Everybody's action of a round."""
        agents, paid, moved = self.agents, np.zeros(len(self.possible_agents)), set()
        while not self.board.over and self.board.player not in moved:
            moved.add(self.board.player)
            self.board.move(int(actions[self.possible_agents[self.board.player]]))
            paid += self.board.rewards
        self._rounds += 1
        over, cut = (
            self.board.over,
            self.max_cycles is not None and self._rounds >= self.max_cycles and not self.board.over,
        )
        shown, infos = self._shown()
        if over or cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        rewards = dict(zip(self.possible_agents, map(float, paid), strict=True))
        return shown, rewards, dict.fromkeys(agents, over), dict.fromkeys(agents, cut), infos

    def _shown(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What everybody sees and may do in this round."""
        masks = self.board.masks()
        shown = {
            name: {"observation": self.board.seen(seat), "action_mask": masks[seat]}
            for seat, name in enumerate(self.possible_agents)
            if name in self.agents
        }
        return shown, {name: {"action_mask": each["action_mask"]} for name, each in shown.items()}
