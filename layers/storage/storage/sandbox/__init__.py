"""The sandbox function and the generations of its tenants."""
