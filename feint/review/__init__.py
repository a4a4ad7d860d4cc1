"""What each decision of a game was worth, by dealing anew what a player could not know and playing out every choice."""

from feint.review.analysis import hint as hint
from feint.review.analysis import review as review
from feint.review.analysis import reviewing as reviewing
from feint.review.data import Decision as Decision
from feint.review.data import Review as Review
