"""Tables of moto, of which tests also ask what the gateway does not."""

from typing import Any

from storage.gateway.aws import AwsTables


class MotoTables(AwsTables):
    """Tables of a client, whose own operations can be called too."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return an operation of the client."""
        return getattr(self.client, name)
