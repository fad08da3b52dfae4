"""Batches that arrive in S3: read, checked, submitted."""
