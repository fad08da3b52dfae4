"""Players, tokens, sessions, idempotency, quotas, flags."""
