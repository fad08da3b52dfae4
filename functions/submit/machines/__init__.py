"""What programs read and call beside the API: tools for agents."""
