"""A player over all benchmarks: the boards that show one, and what is one's own to export or erase."""
