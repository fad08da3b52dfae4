"""Models of the answers of the API."""
