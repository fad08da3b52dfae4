"""Standings and snapshots of boards."""
