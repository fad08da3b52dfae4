"""Players: their ranks, histories, own data, invitations and tokens."""
