"""What the shipped agents make of a few positions, as a file: a change of views or inputs shows in it.

`python -m tests.learn.shipped` writes it anew, which is right only where an agent has been trained anew.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import feint
from feint import chance, registry, zoo
from feint.game import Game
from feint.learn.afterstates import AfterstateAgent, Sized
from feint.learn.policy_file import PolicyFile

FILE = Path(__file__).with_name("shipped.json")


def judged(name: str) -> list[list[float]]:
    """What an agent makes of six positions, by deals and moves that are always the same."""
    file = zoo.entry(name).file
    game = feint.make(file.game, **file.options)
    agent = registry.make_agent(f"zoo:{name}", game)
    found = _worth(agent) if isinstance(agent, AfterstateAgent) else _logits(agent, game)
    return [[round(float(each), 4) for each in one] for one in found]


def _logits(agent: Any, game: Game[Any, Any]) -> list[Any]:
    """The logits of legal actions, or their probabilities where there are no logits, after 0, 3, 6, ... moves of a game each."""
    # Functions of the class, which all agents of a game share; a game that is closed over has its look-up tables compiled in.
    rules, kind = type(game), type(agent)
    init, step, observe = (partial(jax.jit(each), game) for each in (rules.init, rules.step, rules.observe))
    judge = partial(jax.jit(getattr(kind, "logits", None) or kind.probabilities), agent)
    found = []
    for deal in range(6):
        state = init(chance.key(deal))
        for move in range(3 * deal):
            allowed = np.flatnonzero(state.legal_action_mask)
            after = step(state, jnp.int32(allowed[(deal + 7 * move) % len(allowed)]))
            state = state if after.terminated else after
        legal = state.legal_action_mask
        found.append(judge(observe(state, state.current_player), legal)[legal])
    return found


def _worth(agent: AfterstateAgent) -> list[Any]:
    """How likely it holds itself to win with six racks: actions, which follow from that, take long to compile."""

    @jax.jit
    def worth(agent: AfterstateAgent, key: chance.Key) -> Any:
        sized = Sized.of(agent.game, agent.sizes)
        return sized.worth(agent.valuer)(*sized.game.read(sized.game.begin(key)))

    return [[worth(agent, chance.key(deal))] for deal in range(6)]


def trained() -> list[str]:
    """Those that were trained; solved ones are tables, of which every row is sealed."""
    return [name for name in zoo.names() if isinstance(zoo.entry(name).file, PolicyFile)]


def kept() -> dict[str, list[list[float]]]:
    return json.loads(FILE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    lines = [f'  "{name}": {json.dumps(judged(name))}' for name in trained()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
