"""Mail that players ask for, the page on which an address confirms or ends it, and what owners write to players."""
