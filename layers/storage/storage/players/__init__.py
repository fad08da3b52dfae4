"""Players: their names, tokens, invitations, quotas and bans."""
