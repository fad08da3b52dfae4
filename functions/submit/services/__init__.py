"""What the routes of the API do."""
