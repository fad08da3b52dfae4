"""Standings and their order."""
