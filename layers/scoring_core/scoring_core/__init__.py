"""Pure scoring: a benchmark and the bytes of a result go in, scores come out. No AWS, no clock, no network."""

__version__ = "0.1.0"
