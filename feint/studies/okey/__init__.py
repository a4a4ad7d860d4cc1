"""The Okey thesis (Uygun, 2019): its game, its opponent and its limitations measured, and its experiments run again."""

from feint.studies.okey import (
    baselines,
    batched_episodes,
    experiments,
    five_melds,
    four,
    lengths,
    limitations,
    luck,
    pairs,
    partners,
    practice,
    readings,
)
from feint.studies.run import Step, Study

STUDY = Study(
    name="okey",
    title="Okey with deep reinforcement learning, run again",
    about="The thesis' game and opponent measured, what luck and rules are worth, and every limitation of its fifth chapter lifted.",
    source=(
        "İlke Uygun, Playing the Turkish tile game Okey with deep reinforcement learning, Master's thesis, Boğaziçi University, 2019."
    ),
    steps=(
        Step("readings", "What the thesis leaves open", readings.readings),
        Step("computer", "Baselines: against computer", baselines.against_computer),
        Step("arranger", "Baselines: against arranger", baselines.against_arranger),
        Step("exact", "Baselines: against exact", baselines.against_exact),
        Step("lengths", "Lengths of games", lengths.lengths),
        Step("luck", "The value of a joker, and of starting", luck.luck),
        Step("pairs", "Pairs against melds", pairs.pairs),
        Step("four", "Four players: one beside three of a kind", four.beside_three),
        Step("league", "Four players: a league", four.league),
        Step("partners", "Partners, and the limitation: no teams", partners.partners),
        Step("no-pairs", "Limitation: no pairs", pairs.lifted),
        Step("joker-finish", "Limitation: no finishing with the joker", limitations.joker_finish),
        Step("centre", "Limitation: the game ends with the centre", limitations.centre),
        Step("memory", "Limitation: only the last discard is known", limitations.memory),
        Step("runs", "Limitation: no runs of five", limitations.runs_of_five),
        Step("five-melds", "Limitation: five melds of three", five_melds.five_melds),
        Step("experiments", "Chapter 4: the four experiments", experiments.experiments),
        Step("batched-episodes", batched_episodes.TITLE, batched_episodes.batched_episodes),
        Step("practice", practice.TITLE, practice.practised),
    ),
)
