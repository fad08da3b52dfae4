"""Full-duplex speech."""
