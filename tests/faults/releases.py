"""Runs two releases side by side, as during a deployment: today's code, and one that writes newer schemas.

The later release writes each form under a schema number that today's code cannot read, and adds to each item an
attribute of a type that today's code cannot read. It is made of today's code, so it does not prove that a real later
release reads what is stored: its samples do. It also proves nothing about forms that changed without a new number.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest

from storage.gateway import schema, table
from storage.gateway.errors import NewerSchema
from storage.gateway.schema import Schema, marshal, unmarshal
from tests.faults.simulation import Simulation
from tests.faults.state import ADDED

NEXT: Mapping[Schema, int] = {form: form.newest + 1 for form in Schema}
"""One more than today's code can read."""


class Release(StrEnum):
    """The code that an invocation runs."""

    TODAY = "today"
    """It cannot read the next schemas."""
    READER = "reader"
    """It writes today's schemas, and can read the next ones."""
    LATER = "later"
    """It writes the next schemas."""


@dataclass
class Deployment:
    """Runs each invocation on a randomly chosen release, and each release in its own process.

    Args:
        simulation: The simulation whose functions are deployed.
        chance: The seeded random choice.
        before: The release that is replaced.
        share: The share of invocations that run the later one.
        refusals: How often code refused a newer schema.
    """

    simulation: Simulation
    chance: random.Random
    before: Release
    share: float = 0.0
    refusals: int = 0
    _running: Release | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Wrap every function."""
        self.simulation.handlers = {name: self._dispatch(handler) for name, handler in self.simulation.handlers.items()}

    def _dispatch(self, handler: Callable[[dict[str, Any], Any], Any]) -> Callable[[dict[str, Any], Any], Any]:
        def invoke(event: dict[str, Any], context: Any) -> Any:
            release = Release.LATER if self.chance.random() < self.share else self.before
            if release is not self._running:
                self.simulation.restart()
                self._running = release
            with running(release, self._count):
                return handler(event, context)

        return invoke

    def _count(self) -> None:
        self.refusals += 1


@dataclass(frozen=True)
class Deploy:
    """A step of a scenario: sets the share of invocations that run the later release."""

    deployment: Deployment
    share: float

    def act(self, _: Simulation) -> None:
        """Set the share."""
        self.deployment.share = self.share


@dataclass(frozen=True)
class Deliver:
    """A step of a scenario: delivers all that can be delivered now; streams continue until their records pass."""

    def act(self, simulation: Simulation) -> None:
        """Deliver."""
        simulation.drain()


@contextmanager
def running(release: Release, on_refusal: Callable[[], None]) -> Iterator[None]:
    """Run a release in this process while the context lasts."""
    check = Schema.check

    def check_and_count(form: Schema, schema: int) -> None:
        try:
            check(form, schema)
        except NewerSchema:
            on_refusal()
            raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Schema, "check", check_and_count)
        if release is not Release.TODAY:
            patch.setattr(Schema, "newest", property(NEXT.__getitem__))
            patch.setattr(schema, "unmarshal", _unmarshal_next)
        if release is Release.LATER:
            patch.setattr(schema, "SCHEMA_NUMBERS", NEXT)
            patch.setattr(table, "marshal", _marshal_next)
        yield


def _marshal_next(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item in the next schema; values of conditions stay unchanged."""
    return {**marshal(item), **({ADDED: {"L": []}} if "schema" in item else {})}


def _unmarshal_next(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return unmarshal({name: value for name, value in item.items() if name != ADDED})
