"""What the Lambda handlers share: loops of queues and streams, and HTTP."""

import gc

# Imports make 100,000 objects that stay. Python would search them for garbage again and again, a tenth of a cold start.
gc.set_threshold(200_000)
