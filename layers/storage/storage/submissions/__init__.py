"""Submissions, their records, idempotency, withdrawals and queues."""
