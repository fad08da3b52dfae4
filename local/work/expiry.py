"""Deletes what AWS deletes by itself, at the start of the stack and every hour."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from engine.cloud import EngineClients

INTERVAL_SECONDS: Final = 3600.0


@dataclass
class Expiry:
    """Lets the engine delete what is due; `clock` counts seconds."""

    clients: EngineClients
    clock: Callable[[], float] = time.monotonic
    _due: float = field(default=0.0, init=False)

    def is_due(self, _: object = None) -> bool:
        """Return whether an hour has passed, or nothing was deleted yet."""
        return self.clock() >= self._due

    def poll(self) -> bool:
        """Delete what is due; return False."""
        self._due = self.clock() + INTERVAL_SECONDS
        self.clients.expire()
        return False
