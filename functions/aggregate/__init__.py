"""Updates boards: from submission records to board entries, standings and the files that the site reads."""

import gc

# Imports make 100,000 objects that stay. Python would search them for garbage again and again, a tenth of a cold start.
gc.set_threshold(200_000)
