"""Commands of submissions: how they are handed in, decided and listed."""
