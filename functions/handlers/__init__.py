"""What the Lambda handlers share: loops of queues and streams, and HTTP."""
