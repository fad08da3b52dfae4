"""Published benchmarks, their owners and their rescores."""
