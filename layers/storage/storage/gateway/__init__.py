"""The gateway to AWS: clients, errors, tables, buckets, queues, schemas."""
