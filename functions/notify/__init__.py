"""Sends mail about results that have no score: from submission records to pending mails, and from these to SES."""

import gc

# Imports make 100,000 objects that stay. Python would search them for garbage again and again, a tenth of a cold start.
gc.set_threshold(200_000)
