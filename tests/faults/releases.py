"""Two releases side by side, as during a deployment: today's code, and a later one that writes every form anew.

The later release writes each form under the next schema number, and into each item an attribute of a kind that today's
code cannot read. It is made of today's code, so it does not prove that a real later release reads what lies there: its
samples do. Nor does it prove anything of forms that changed without a new number.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest

from storage.aws import schema, table
from storage.aws.attributes import marshal, unmarshal
from storage.aws.errors import NewerSchema
from storage.aws.schema import SCHEMA_NUMBERS, Schema
from tests.faults.simulation import Simulation
from tests.faults.state import ADDED

NEXT: Mapping[Schema, int] = {form: schema + 1 for form, schema in SCHEMA_NUMBERS.items()}


class Release(StrEnum):
    """What an invocation runs."""

    TODAY = "today"
    """It knows of no other form than those it writes."""
    READER = "reader"
    """It writes what today's code writes, and reads the next forms already."""
    LATER = "later"
    """It writes the next forms."""


@dataclass
class Deployment:
    """Gives each invocation a release by chance, and a process of its own to each release.

    Args:
        simulation: Whose functions are deployed.
        chance: Seeded.
        before: The release that is replaced.
        share: How many of the invocations run the later one.
        refusals: How often something was refused as newer.
    """

    simulation: Simulation
    chance: random.Random
    before: Release
    share: float = 0.0
    refusals: int = 0
    _running: Release | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Stand before every function."""
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
    """A step of a scenario: from now on so many of the invocations run the later release."""

    deployment: Deployment
    share: float

    def act(self, _: Simulation) -> None:
        """Set the share."""
        self.deployment.share = self.share


@dataclass(frozen=True)
class Deliver:
    """A step of a scenario: what can be delivered now is, and a stream goes on until its records pass."""

    def act(self, simulation: Simulation) -> None:
        """Deliver."""
        simulation.drain()


@contextmanager
def running(release: Release, on_refusal: Callable[[], None]) -> Iterator[None]:
    """Run a release in this process while the context lasts."""
    check = Schema.check

    def run_steps(form: Schema, schema: int) -> None:
        try:
            check(form, schema)
        except NewerSchema:
            on_refusal()
            raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Schema, "check", run_steps)
        if release is not Release.TODAY:
            patch.setattr(schema, "READ_AHEAD", NEXT)
            patch.setattr(schema, "unmarshal", _unmarshal_next)
        if release is Release.LATER:
            patch.setattr(schema, "SCHEMA_NUMBERS", NEXT)
            patch.setattr(table, "marshal", _marshal_next)
        yield


def _marshal_next(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item in the next form; what a condition is compared with has none."""
    return {**marshal(item), **({ADDED: {"L": []}} if "schema" in item else {})}


def _unmarshal_next(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return unmarshal({name: value for name, value in item.items() if name != ADDED})
