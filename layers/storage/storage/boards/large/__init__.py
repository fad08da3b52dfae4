"""What only boards above 20,000 rows need: docs/large-boards.md. A schedule writes an edition: CSV, and an index."""
