"""Commands about how players come in."""
