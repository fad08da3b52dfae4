"""Commands of benchmarks: their folders, what they score, and what is published."""
