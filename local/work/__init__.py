"""What is done without being asked: invocations from queues, at times and by name, and what expires."""
