"""Commands of submissions: how they are submitted, decided and listed."""
