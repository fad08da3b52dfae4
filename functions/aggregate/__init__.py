"""Turns records into boards: contributions, standings, and the snapshots that the browser reads."""
