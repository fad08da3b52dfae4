"""What the functions behind the HTTP API share: requests, answers, problems, and who is calling."""
