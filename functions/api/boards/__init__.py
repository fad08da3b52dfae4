"""Boards: their rows, pages and pictures."""
