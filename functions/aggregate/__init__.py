"""Updates boards: from submission records to contributions, standings and the files that the site reads."""
