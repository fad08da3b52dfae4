"""What keeps the local cloud on disk: one SQLite file, and what reads it into moto and writes moto's changes to it."""
