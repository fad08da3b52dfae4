"""Metrics of a board and the expressions that compute them."""
