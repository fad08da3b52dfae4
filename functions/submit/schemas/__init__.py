"""Bodies of requests and answers."""
