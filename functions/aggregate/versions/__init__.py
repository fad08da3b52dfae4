"""Keeps the boards of a benchmark's versions complete and in step."""
