"""Matches by the protocol of the Annual Computer Poker Competition: a dealer for its bots, and a seat at its dealers."""
