"""Batches: what became of their entries."""
