"""Accepts results and reports what became of them; it never scores."""

import gc

# Imports make 80,000 objects that stay. Python would search them for garbage forty times, a tenth of a cold start.
gc.set_threshold(100_000)
