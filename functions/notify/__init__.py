"""Sends mail about results that have no score: from submission records to pending mails, and from these to SES."""

import handlers  # noqa: F401  # before all else: it puts off the search for garbage
