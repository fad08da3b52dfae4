"""Pending mail, the outbox, suppressions, SES."""
