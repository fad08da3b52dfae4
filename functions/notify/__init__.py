"""Sends mail about results that have no score: from submission records to pending mails, and from these to SES."""
