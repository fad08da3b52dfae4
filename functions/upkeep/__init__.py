"""Keeps the folders of boards clean, and tries whether results are accepted."""
