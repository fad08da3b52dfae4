"""What programs read and call beside the API: feeds, and tools for agents."""
