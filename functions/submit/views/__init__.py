"""What the API answers: the models behind the OpenAPI page, one file a topic."""
