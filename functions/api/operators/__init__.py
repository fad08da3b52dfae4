"""What administrators do with a token: tokens of others, the audit trail, and operations."""
