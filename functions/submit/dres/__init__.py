"""The client API of DRES v2."""
