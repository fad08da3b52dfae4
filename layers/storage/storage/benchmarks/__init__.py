"""Published benchmarks and their rescores."""
