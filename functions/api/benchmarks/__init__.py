"""Benchmarks: what is published, by whom, and what owners do with it."""
