"""The errors of the gateway: what became of a call, whatever answers it."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring_core.errors import LaurelError

MAX_TRIES = 20


class StoreError(LaurelError):
    """Something could not be read or written; `code` is AWS's name of the error, if AWS answered."""

    code = ""


class NotFound(StoreError):
    """There is no such thing."""


class Conflict(StoreError):
    """A condition did not hold: somebody else was first.

    `items` are those that are stored in the place of what a write of items would have written, in its order, empty
    where none is told.
    """

    items: Sequence[Mapping[str, Any]] = ()


class MetAnother(Conflict):
    """A conditional write met another one. It says nothing about the condition: retry it."""


class Busy(StoreError):
    """Throttled or unreachable for now; the same call may succeed later."""


class NotStarted(Busy):
    """A function was not started, because there was no room for it; what it should do was not tried."""


class NewerSchema(Busy):
    """Newer code wrote it, in a schema that this code does not know; nothing was read or changed."""


class UnknownObject(StoreError):
    """The object is not Laurel's; the same call will fail again."""


class Refused(StoreError):
    """The call was rejected: rights, configuration, or an invalid request."""
