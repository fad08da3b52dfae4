"""Reads batches that arrive in S3, checks their entries and submits them."""
