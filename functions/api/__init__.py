"""Answers HTTP, all but what takes results. It has no right to write one."""

import gc

# Imports make 100,000 objects that stay. Python would search them for garbage again and again, a tenth of a cold start.
gc.set_threshold(200_000)
