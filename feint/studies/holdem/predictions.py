"""Tables 5 and 6: how well each of the two agents foretells its opponents."""

from __future__ import annotations

import jax
import numpy as np

from feint.learn.opponent_model import foretold
from feint.studies.holdem import published
from feint.studies.holdem.cells import Values, difference, share, sign, told
from feint.studies.holdem.models import NAME, networks
from feint.studies.holdem.watched import AGENTS, Decisions, watched
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

ACTIONS = ("fold", "call", "raise")
BATCH_SIZE = 65_536  # decisions that networks are asked for


def tables_5_and_6(settings: Settings, tell: Tell) -> Section:
    """Confusion matrices of what the agents expect, and of what networks do."""
    seen = watched(settings, tell)
    of = seen.of
    names = ("the network that sees the cards", "the network that does not see them")
    by_networks = dict(zip(names, _foretold(seen), strict=True))
    expects = {
        "risk-g": {"its table": of.general, **by_networks},
        "risk-s": {"its tables": of.special, **by_networks},
    }
    others = {agent: of.agent != AGENTS.index(agent) for agent in expects}
    guesses = {
        agent: {how: np.asarray(chances).argmax(axis=1) for how, chances in ways.items()}
        for agent, ways in expects.items()
    }
    own = {agent: next(iter(guesses[agent].values())) for agent in expects}
    gain = difference(
        (own["risk-s"] == of.action, others["risk-s"]), (own["risk-g"] == of.action, others["risk-g"]), of.match
    )
    same = difference(
        (own["risk-s"] == of.action, of.agent == 0), (own["risk-g"] == of.action, of.agent == 0), of.match
    )
    return Section(
        "Tables 5 and 6: what the agents foretell",
        (
            Text(
                "What each agent foretells of its two opponents before they act: for `risk-g` the likeliest action by its one table, for `risk-s` the likeliest by its tables and by what it believes of the opponent's cards, at that moment of the match. "
                f"A fold is never the likeliest answer in the table of `risk-g`, while the paper's `Risk_g` foretells folds in 18% of cases: its matrices are of networks, which it says little of. So those of `{NAME}` stand beside, "
                f"once with the cards of whoever acts. Published figures are compared as if of {published.HANDS} hands. Table 6 is headed “Risk_g” in the paper, and is of `Risk_s`."
            ),
            *(
                _table(seen, agent, number, how, guess)
                for agent, number in (("risk-g", 5), ("risk-s", 6))
                for how, guess in guesses[agent].items()
            ),
            Verdict(
                "holds" if sign(gain) > 0 else "differs" if sign(gain) < 0 else "open",
                f"That `risk-s` foretells its opponents better than `risk-g` does: by {told(gain)} points, where the paper has 8. They have different opponents, each other; of `tanh` alone it is {told(same)} points.",
            ),
        ),
    )


def _foretold(seen: Decisions) -> tuple[Values, Values]:
    """What the networks say of every decision, float32[decisions, 3]: with the cards, and without."""
    ask = jax.jit(jax.vmap(foretold, (None, 0)))
    parts = []
    for begin in range(0, len(seen.of.action), BATCH_SIZE):
        some = jax.tree.map(lambda leaf: leaf[begin : begin + BATCH_SIZE], seen.of.example)  # noqa: B023
        parts.append(jax.device_get(ask(networks(), some)))
    return np.concatenate([each.seen for each in parts]), np.concatenate([each.unseen for each in parts])


def _table(seen: Decisions, agent: str, number: int, how: str, guess: Values) -> Table:
    """A published matrix beside one of ours."""
    of = seen.of
    others = of.agent != AGENTS.index(agent)
    printed = published.CONFUSION[agent]
    count = round(others.sum() / seen.hands * published.HANDS)

    def cell(hits: Values, figure: float) -> Cell:
        return share(hits, others, of.match, float(figure), count)

    rows = []
    for done, name in enumerate(ACTIONS):
        cells = [cell((of.action == done) & (guess == said), printed[done, said]) for said in range(3)]
        rows.append(Row(name, (*cells, cell(of.action == done, printed[done].sum()))))
    cells = [cell(guess == said, printed[:, said].sum()) for said in range(3)]
    rows.append(Row("all", (*cells, cell(guess == of.action, published.ACCURACY[agent]))))
    return Table(
        f"Table {number}: opponents of {agent}, foretold by {how}, % of all decisions",
        ("done", *(f"foretold: {name}" for name in ACTIONS), "all"),
        tuple(rows),
        f"In the corner what was foretold rightly. Ours of {int(others.sum()):,} decisions, with intervals over matches.",
    )
