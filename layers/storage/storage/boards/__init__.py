"""Standings and snapshots of boards, and their served pages."""
