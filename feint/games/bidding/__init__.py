"""Bidding Elimination: sealed bids from a limited purse, the lowest bidder goes out, the last one standing wins."""
