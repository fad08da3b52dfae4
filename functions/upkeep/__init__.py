"""Keeps large boards searchable and their folders clean, and compares what boards show with what they rest on."""
