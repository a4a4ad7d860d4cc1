"""The Bidding Elimination paper (Chiam, Li, Lee): its claims checked and its experiments run again."""

from feint.studies.bidding import deep_q, equilibria, estimation, policies, readings, scenarios, ten_players
from feint.studies.run import Step, Study

STUDY = Study(
    name="bidding",
    title="The Bidding Elimination Game, run again",
    about="Every claim and experiment of the paper beside ours, always with a constant bid and with the best possible answer.",
    source="Caleb Chiam, Jonathan Li and Alan Lee, The Bidding Elimination Game, Stanford University.",
    steps=(
        Step("readings", "What the paper leaves open", readings.readings),
        Step("equilibria", "Section V.A: equilibria of three players", equilibria.equilibria),
        Step("conventions", "Equilibria of more players", equilibria.conventions),
        Step("figure-2", "Figure 2: estimating the opponents", estimation.figure_2),
        Step("figures-3-5", "Figures 3 to 5: three players", scenarios.figures_3_to_5),
        Step("deep-q", "Figure 4: deep Q-learning", deep_q.deep_q),
        Step("ten", "Ten players with fifty coins", ten_players.ten_players),
        Step("cross-play", "Ten players with fifty coins: agents among each other", ten_players.cross_play),
        Step("figure-6", "Figure 6: the best bids of small games", policies.figure_6),
        Step("figure-7", "Figure 7: the best bids among up to 300 players", policies.figure_7),
        Step("limit", "Section VI: many coins", policies.many_coins),
    ),
    games=100_000,
)
