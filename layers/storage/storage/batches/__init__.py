"""Uploaded batches and their reports."""
