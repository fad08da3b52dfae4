"""Strict readers of untrusted input."""
