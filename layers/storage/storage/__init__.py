"""What is kept and where: S3 keys, table items, the stores over them, and the settings that name them."""
