"""What happens if a board, or a part of it, cannot be made."""
