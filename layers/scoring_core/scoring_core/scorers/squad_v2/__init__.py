"""SQuAD v2."""
