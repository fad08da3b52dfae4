"""What those who render a board agree on."""
