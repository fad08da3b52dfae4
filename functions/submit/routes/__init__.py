"""The routes of the API: each parses a request, calls one service and answers."""
