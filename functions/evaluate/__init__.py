"""Scores results: from the message that announces one to its submission records."""

import gc

# Imports make 80,000 objects that stay. Python would search them for garbage forty times, a tenth of a cold start.
gc.set_threshold(100_000)
