"""Updates boards: from submission records to board entries, standings and the files that the site reads."""
