"""How players come in: invitations, and the one way in which a token is issued."""
