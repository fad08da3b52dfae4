"""Submissions: their status, withdrawals, errors, reviews and downloads."""
