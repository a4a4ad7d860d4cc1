"""Agents that learn: one loop in which tables, networks and optimiser live on the device."""
