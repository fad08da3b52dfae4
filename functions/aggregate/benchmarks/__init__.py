"""Publishes benchmarks, promotes their versions, and keeps the boards of each complete and in step."""
