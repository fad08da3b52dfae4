"""Accepts results and reports what became of them; it never scores."""
