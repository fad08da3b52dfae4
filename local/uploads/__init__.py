"""S3's presigned uploads, with the checks that moto skips."""
