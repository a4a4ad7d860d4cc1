"""What feint itself has by name: games, agents, who sits down by default, how a game is trained by default, algorithms, kinds of policies and studies."""

from __future__ import annotations

from typing import Any

GAMES = {
    "bidding": "feint.games.bidding.game:Bidding",
    "bluff": "feint.games.bluff.game:Bluff",
    "holdem": "feint.games.holdem.game:Holdem",
    "kuhn": "feint.games.small.kuhn:Kuhn",
    "leduc": "feint.games.small.leduc:Leduc",
    "liars-dice": "feint.games.small.liars_dice:LiarsDice",
    "okey": "feint.games.okey.game:Okey",
}

AGENTS = {
    "random": "feint.agent:Random",
    "think": "feint.think.agent:Think",
    "bluff.no-bluff": "feint.games.bluff.agents:NoBluff",
    "bluff.smart": "feint.games.bluff.agents:Smart",
    "bluff.anxious": "feint.games.bluff.agents:Anxious",
    "bluff.reinforcement": "feint.games.bluff.reinforcement:Reinforcement",
    "bluff.apprentice": "feint.games.bluff.apprentice:Apprentice",
    "bluff.tit-for-tat": "feint.games.bluff.agents:TitForTat",
    "bluff.dump": "feint.games.bluff.agents:Dump",
    "bluff.counter": "feint.games.bluff.counter:Counter",
    "holdem.always-call": "feint.games.holdem.agents:AlwaysCall",
    "holdem.always-raise": "feint.games.holdem.agents:AlwaysRaise",
    "holdem.tanh": "feint.games.holdem.tanh:Tanh",
    "holdem.risk-g": "feint.games.holdem.risk_agents:RiskG",
    "holdem.risk-s": "feint.games.holdem.risk_agents:RiskS",
    "okey.computer": "feint.games.okey.agents:Computer",
    "okey.arranger": "feint.games.okey.agents:Arranger",
    "okey.exact": "feint.games.okey.agents:Exact",
    "okey.greedy": "feint.games.okey.counting:Greedy",
    "okey.racing": "feint.games.okey.racing:Racing",
    "okey.nearest": "feint.games.okey.nearest:Nearest",
    "okey.ahead": "feint.games.okey.ahead:Ahead",
    "okey.expectation": "feint.games.okey.counting:Expectation",
    "bidding.uniform": "feint.games.bidding.bidders:Uniform",
    "bidding.composition": "feint.games.bidding.bidders:Composition",
    "bidding.share": "feint.games.bidding.bidders:Share",
    "bidding.split": "feint.games.bidding.bidders:Split",
    "bidding.fraction": "feint.games.bidding.bidders:Fraction",
    "bidding.convention": "feint.games.bidding.bidders:convention",
    "bidding.mixed": "feint.games.bidding.bidders:mixed",
    "bidding.drifting": "feint.games.bidding.bidders:Drifting",
    "bidding.optim": "feint.games.bidding.three_players:Optim",
    "bidding.oracle": "feint.games.bidding.three_players:Oracle",
    "bidding.value-iteration": "feint.games.bidding.value_iteration:ValueIteration",
    "bidding.maximum-likelihood": "feint.games.bidding.value_iteration:MaximumLikelihood",
    "bidding.equilibrium": "feint.games.bidding.value_iteration:Equilibrium",
    "bidding.adaptive": "feint.games.bidding.adaptive:Adaptive",
}

# Who sits down, in turn, with whoever names nobody. Agents of the zoo are left out of games with other options than they learned.
LEVELS = ("easy", "fair", "strong")
RIVALS = {
    "bidding": {
        "easy": ("uniform",),
        "fair": ("adaptive", "composition", "share"),
        "strong": ("zoo:bidding-2", "adaptive", "zoo:bidding-4", "zoo:bidding-3"),
    },
    "bluff": {
        "easy": ("no-bluff", "smart", "tit-for-tat"),
        "fair": ("zoo:bluff-dqn", "smart", "anxious", "no-bluff"),
        "strong": ("zoo:bluff-10", "zoo:bluff-13", "zoo:bluff-10", "counter", "anxious"),
    },
    "holdem": {
        "easy": ("random", "always-call"),
        "fair": ("tanh", "always-call"),
        "strong": (
            "think(zoo:holdem-2p-2, worlds=256, candidates=3)",  # quick there: 20 ms for a hand's first move
            "zoo:holdem-2p-2",
            "zoo:holdem-3p-2",
            *["zoo:holdem-1"] * 6,
            "tanh",
        ),
    },
    "kuhn": {"easy": ("random",), "fair": ("zoo:kuhn-1",), "strong": ("zoo:kuhn-1",)},
    "leduc": {"easy": ("random",), "fair": ("zoo:leduc-1",), "strong": ("zoo:leduc-2",)},
    "liars-dice": {"easy": ("random",), "fair": ("zoo:dice-1",), "strong": ("zoo:dice-1",)},
    "okey": {
        "easy": ("computer",),
        "fair": ("greedy",),
        "strong": ("zoo:okey-3", "zoo:okey-2p-2", *["zoo:okey-3"] * 3, "ahead"),
    },
}

# How a game is trained where nobody says how: with whom, if learning from itself comes to nothing, and how it is `evaluated`, where games are
# slow. Whoever plays Bluff or Okey at random never wins, so that games of a beginner with itself teach nothing; at Hold'em they teach too slowly.
TRAINING: dict[str, dict[str, Any]] = {
    "bluff": {
        "algorithm": "dqn",
        "others": ("no-bluff", "smart", "reinforcement"),
        "settings": {
            "num_steps": 32,
            "max_opponent_moves": 20,
            "epsilon": 0.1,
            "final_epsilon": 0.01,
            "n_step": 12,
            "batch_size": 512,
            "gradient_steps": 24,
            "target_network_frequency": 4,
            "buffer_size": 65_536,
        },
    },
    "holdem": {
        "algorithm": "ppo",
        "others": ("tanh",),
        "settings": {
            "num_steps": 32,
            "teacher": "tanh",
            "teacher_fraction": 0.5,
            "ent_coef": 0.03,
            "final_ent_coef": 0.002,
            "magnet_coef": 0.02,
        },
    },
    "leduc": {"algorithm": "regret-matching", "settings": {}},
    "liars-dice": {"algorithm": "mmd", "settings": {"num_steps": 16, "update_epochs": 8}},
    "okey": {
        "algorithm": "ppo",
        "settings": {
            "total_timesteps": 20_480,  # of which a CPU plays about a hundred in a second
            "num_envs": 32,
            "num_steps": 32,
            "network": "actions",
            "critic": "own",
            "teacher": "greedy",
            "teacher_fraction": 1.0,
            "ent_coef": 0.005,
            "final_ent_coef": 0.0005,
            "magnet_coef": 0.0,
            "update_epochs": 8,
            "greedy": True,
            "league_size": 1,
        },
        "evaluated": {"evaluations": 1, "games": 96},
    },
}

# Settings, of ppo, with which a best response to an agent is trained: where a game needs others than feint/learn/response.py has.
RESPONSES: dict[str, dict[str, Any]] = {
    "bluff": {"width": 384, "depth": 3},
    "okey": {"network": "actions", "width": 512, "critic": "own"},
}

ALGORITHMS = {
    "ppo": "feint.learn.ppo:PPO",
    "mmd": "feint.learn.mmd:MMD",
    "dqn": "feint.learn.dqn:DQN",
    "actor-critic": "feint.learn.actor_critic:ActorCritic",
    "q-learning": "feint.learn.tabular:QLearning",
    "nfsp": "feint.learn.nfsp:NFSP",
    "regret-matching": "feint.learn.regret_matching:RegretMatching",
    "opponent-model": "feint.learn.opponent_model:OpponentModelling",
    "after-states": "feint.learn.afterstates:AfterStates",
}

POLICIES = {
    "AfterstateAgent": "feint.learn.afterstates:AfterstateAgent",
    "AverageAgent": "feint.learn.regret_matching:AverageAgent",
    "BlueprintAgent": "feint.solvers.blueprint_agent:BlueprintAgent",
    "NetworkAgent": "feint.learn.networks:NetworkAgent",
    "QTableAgent": "feint.learn.tabular:QTableAgent",
    "RecallingAgent": "feint.learn.networks:RecallingAgent",
    "OpponentModel": "feint.learn.opponent_model:OpponentModel",
}

STUDIES = {
    "bidding": "feint.studies.bidding:STUDY",
    "bluff": "feint.studies.bluff:STUDY",
    "holdem": "feint.studies.holdem:STUDY",
    "okey": "feint.studies.okey:STUDY",
}

OWN = {"games": GAMES, "agents": AGENTS, "algorithms": ALGORITHMS, "policies": POLICIES, "studies": STUDIES}

# Games of neighbours, each of which is named by what follows a colon, `openspiel:leduc_poker`.
GAME_SCHEMES = {
    "openspiel": "feint.connect.openspiel_games:game_class",
    "pgx": "feint.connect.pgx_games:game_class",
}

# Agents that are made from what follows a colon, such as a file, `policy:leduc.npz`, or a name, `zoo:leduc-1`.
SCHEMES = {
    "policy": "feint.learn.policy_file:play_from",
    "zoo": "feint.zoo:play_from",
    "openspiel-bot": "feint.connect.openspiel_bots:sit_down",
}
