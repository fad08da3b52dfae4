"""The commands of `laurel`, one file a group: each parses, does the work and prints."""
