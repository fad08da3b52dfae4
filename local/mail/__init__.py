"""Mails: shown on the site, and sent by a mail server."""
