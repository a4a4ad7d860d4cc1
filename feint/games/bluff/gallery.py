"""The tables at which agents of Bluff are measured: players of every temper, the thesis' and trained ones."""

GALLERY = (
    "no-bluff,smart,reinforcement",  # the thesis' three,
    "no-bluff,smart(sharp=true),reinforcement(sharp=true)",  # and the same who call what is proven to be a bluff
    "counter,dump(4),anxious",
    "anxious(53),anxious(53),anxious(53)",  # call everything, as beginners do
    "anxious(53),smart,reinforcement",
    "anxious(10),tit-for-tat,counter",
    "counter",
    "smart(sharp=true)",
    "tit-for-tat",
    "anxious(1)",
    "zoo:bluff-dqn",
    "zoo:bluff-10",
    "zoo:bluff-12",
    "zoo:bluff-13",
)
