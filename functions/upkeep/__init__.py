"""Keeps the folders of boards clean, and compares what boards show with what they rest on."""
