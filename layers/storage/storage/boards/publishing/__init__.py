"""What those who publish a board agree on."""
