"""The site and the API over HTTP."""
