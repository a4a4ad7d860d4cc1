"""The Bluff thesis (Philip, 2017): its experiments run again, under clean rules and as its program must have run."""

from feint.studies.bluff import arithmetic, chapter_11, evolution, learners, orders, readings, rivals, robustness, seats
from feint.studies.run import Step, Study

STUDY = Study(
    name="bluff",
    title="“Bluff” with AI, run again",
    about=(
        "Every experiment of the thesis: published figures beside ours, under clean rules and as the thesis' program "
        "must have run, with its defects."
    ),
    source=(
        "Tina Philip, “Bluff” with AI, Master's project 568, San José State University, 2017 "
        "(doi:10.31979/etd.s5mt-kdx4), and its CS297 report of May 2017."
    ),
    steps=(
        Step("readings", "The two readings", readings.readings),
        Step("sampling", "Chapter 9: the sampling plan", arithmetic.sampling),
        Step("experiment-1", "Experiment 1: self play", seats.experiment_1),
        Step("experiment-2", "Experiment 2: no-bluff against smart", seats.experiment_2),
        Step("experiment-3", "Experiment 3: anxious against reinforcement", seats.experiment_3),
        Step("experiment-4", "Experiment 4: all four, in all 24 orders", orders.experiment_4),
        Step("experiment-5", "Experiment 5: right and wrong calls", orders.experiment_5),
        Step("experiment-6a", "Experiment 6a: which strategy takes over", evolution.experiment_6a),
        Step("replicator", "Table 6: the replicator equation", evolution.replicator),
        Step("experiment-6b", "Experiment 6b: mutants among smart", evolution.experiment_6b),
        Step("table-8", "Table 8: the payoffs of bluffing and challenging", chapter_11.table_8),
        Step("tit-for-tat", "Chapter 11: tit-for-tat", chapter_11.tit_for_tat),
        Step("four-flush", "The earlier report: bluffing and calling with a four-flush", arithmetic.four_flush),
        Step("contradictions", "Contradictions", arithmetic.contradictions),
        Step("best", "What holds: is no-bluff the best?", robustness.best),
        Step("stable", "What holds: is smart evolutionarily stable?", robustness.stable),
        Step("learners", "Chapter 12: the learners the thesis wanted", learners.learners),
        Step("rivals", "The bar for strong agents", rivals.rivals),
    ),
)
