"""The Model Context Protocol: tools of the API for agents."""
