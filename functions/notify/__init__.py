"""Writes mail about what went wrong: from terminal records to intents, from intents to SES, at least once."""
