"""The API of DRES clients."""
