"""Submissions, their records, withdrawals and queues."""
