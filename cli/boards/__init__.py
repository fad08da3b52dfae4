"""What `laurel board` reads and prints."""
