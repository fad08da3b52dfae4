"""Answers HTTP, all but what takes results. It has no right to write one."""
