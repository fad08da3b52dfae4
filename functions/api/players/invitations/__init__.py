"""How players come in over HTTP: invitations, the members of a player, and their tokens."""
