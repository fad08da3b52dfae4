"""Who did what, for administrators."""
