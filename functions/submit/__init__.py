"""Accepts results and tells what became of them; it never scores."""
