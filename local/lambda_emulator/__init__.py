"""Built functions under Lambda's own runtime interface."""
