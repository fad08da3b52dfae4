"""One SQLite file that answers the calls of the gateway as AWS does."""
