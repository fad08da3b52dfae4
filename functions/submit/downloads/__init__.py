"""Downloads: the submissions of a benchmark as a table, or as the raw results, for its owner."""
