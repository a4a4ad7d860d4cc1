"""Risk dominance in poker (Zhang et al., 2014): its measures, its agents and its tournaments, run again."""

from feint.studies.holdem import details, dominance, models, order, predictions, readings, responses, tournaments
from feint.studies.run import Step, Study

STUDY = Study(
    name="holdem",
    title="Risk dominance in poker, run again",
    about="The paper's measures and tables, its three agents in tournaments and over duplicate deals, and models of players like its own.",
    source=(
        "J. J. Zhang, X. Wang, L. Yao, J. P. Li and X. D. Shen, Using risk dominance strategy in poker, Journal of Information Hiding and Multimedia Signal "
        "Processing 5(3), 2014."
    ),
    games=100_000,
    steps=(
        Step("readings", "What the paper leaves open", readings.readings),
        Step("table-1", "Table 1: two measures of risk", dominance.table_1),
        Step("equations", "Equations 3 to 6: what they advise", dominance.equations),
        Step("table-3", "Table 3: how bets are answered", responses.table_3),
        Step("figures-4-6", "Figures 4 to 6: p(f|r) by strength, board and pot", responses.figures_4_to_6),
        Step("table-4", "Table 4: where they differ, and what comes of it", details.table_4),
        Step("tables-5-6", "Tables 5 and 6: what the agents foretell", predictions.tables_5_and_6),
        Step("models", "Models of players, and figure 3", models.models),
        Step("figure-8", "Figure 8: tournaments of 1,000 hands", tournaments.figure_8),
        Step("figure-9", "Figure 9: tournaments of 3,000 hands", tournaments.figure_9),
        Step("order", "The order of the three, and how surely", order.order),
    ),
)
