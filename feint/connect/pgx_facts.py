"""What feint has to know of pgx's games, and pgx does not tell."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """One game."""

    moves: int  # at the most
    most: float = 1.0  # that is paid or lost
    starts: int = 2  # ways in which it may start; 0 where these are too many to list
    hidden: bool = False  # whether players hold cards or tiles that others do not see
    rolls: bool = False  # whether dice are rolled after the start

    @property
    def kept_moves(self) -> int:
        """The latest moves that views keep: all where the position does not tell them, with dice those of the turn before."""
        return self.moves if self.hidden else 4 if self.rolls else 0


GAMES = {
    "animal_shogi": Facts(256),
    "backgammon": Facts(4000, most=3.0, starts=60, rolls=True),  # pgx sets no end: a longer game is nobody's
    "chess": Facts(512),
    "connect_four": Facts(42),
    "gardner_chess": Facts(256),
    "go_19x19": Facts(722),
    "go_9x9": Facts(162),
    "hex": Facts(122),
    "kuhn_poker": Facts(3, most=2.0, starts=12, hidden=True),
    "leduc_holdem": Facts(8, most=13.0, starts=48, hidden=True),
    "othello": Facts(122),
    "shogi": Facts(512),
    "sparrow_mahjong": Facts(30, most=2.0, starts=0, hidden=True),
    "tic_tac_toe": Facts(9),
}
