"""Orphans are deleted, and nothing that a renderer is about to name or a reader may still read, in any interleaving.

Publishers, readers and sweepers run as generators on one clock; each `yield` is a moment at which others may go on, in
the order that a seed decides.
"""

import json
import random
from collections.abc import Generator
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from engine.cloud import Engine
from engine.store import Store
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Conflict
from tests.harness.clock import START, Clock
from upkeep import orphans
from upkeep.orphans import RENDERING, OrphanSweeper

FOLDER = "data/b/coins/"
HEAD = f"{FOLDER}head.json"
READING = timedelta(minutes=20)
"""How long a reader keeps a head."""
SEEDS = range(60)

type Actor = Generator[None]


@pytest.fixture(autouse=True)
def grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing must have named an object for a little longer than a reader keeps a head."""
    monkeypatch.setattr(orphans, "GRACE", READING + timedelta(minutes=5))


def make_bucket(clock: Clock) -> Bucket:
    """Make a bucket in memory."""
    store = Store(clock=lambda: clock().timestamp())
    store.define("bucket", "site", {})
    return Bucket(Engine(store).objects, "site")


class Story:
    """A board with publishers, readers and sweepers."""

    def __init__(self, seed: int) -> None:
        self.randomness = random.Random(seed)  # noqa: S311  # reproducible
        self.clock = Clock(START)
        self.bucket = make_bucket(self.clock)
        self.sequence = 0
        self.faults: list[str] = []
        self.ever: set[str] = set()

    def run(self, steps: int) -> None:
        """Let actors go on in any order; some die, and new ones come."""
        makers = (self.publish, self.read, self.sweep, self.sweep)
        actors: list[Actor] = []
        for _ in range(steps):
            self.clock.advance(seconds=self.randomness.choice((1, 60, 600, 1700)))
            if len(actors) < 5:
                actors.append(self.randomness.choice(makers)())
            actor = self.randomness.choice(actors)
            if self.randomness.random() < 0.03:
                actors.remove(actor)  # its process dies
                continue
            try:
                next(actor)
            except StopIteration:
                actors.remove(actor)

    def publish(self) -> Actor:
        """Write objects, most pages taken from the directory before, then the head that names them."""
        began = self.clock()
        stored = self.bucket.find(HEAD)
        head = json.loads(stored.body) if stored else {"sequence": 0, "pages": None}
        sequence = head["sequence"] + 1
        pages = self.read_pages(head["pages"]) if head["pages"] else []
        kept = [page for page in pages if self.randomness.random() < 0.6]
        written = [self.write("page", sequence) for _ in range(self.randomness.randint(1, 3))]
        yield
        directory = self.write("directory", sequence, {"pages": [*kept, *written]})
        yield
        body = json.dumps({"sequence": sequence, "pages": directory}).encode()
        if self.clock() - began > RENDERING:
            return  # no renderer runs for so long
        try:
            self.bucket.put(HEAD, body, replacing=stored.info.etag if stored else None)
        except Conflict:
            return

    def read(self) -> Actor:
        """Read a head, and what it names while a reader may keep it."""
        stored, began = self.bucket.find(HEAD), self.clock()
        while stored and self.clock() - began <= READING:
            head = json.loads(stored.body)
            lost = [name for name in [head["pages"], *self.read_pages(head["pages"])] if not self.exists(name)]
            self.faults += [f"{name} of sequence {head['sequence']} is lost" for name in lost]
            yield

    def sweep(self) -> Actor:
        """Sweep; others may act between the list and the heads, and before the deletion."""
        pausing = PausingBucket(self.bucket)
        sweeper = OrphanSweeper(cast("Any", pausing), self.clock)
        # The list is taken at once, the rest later.
        listed, began = list(self.bucket.list_modified(FOLDER)), self.clock()
        yield
        if self.clock() - began > RENDERING:
            return  # no sweep runs for so long
        pausing.listed = listed
        sweeper.sweep(FOLDER)

    def read_pages(self, directory: str) -> list[str]:
        """Return the names in a directory; none if it is lost."""
        stored = self.bucket.find(FOLDER + directory)
        return json.loads(stored.body)["pages"] if stored else []

    def exists(self, name: str) -> bool:
        """Return whether an object exists."""
        return self.bucket.find_info(FOLDER + name) is not None

    def write(self, kind: str, sequence: int, content: Any = None) -> str:
        """Write an object and return its name."""
        name = f"{kind}.{sequence}-{self.randomness.getrandbits(48):012x}.json"
        self.bucket.overwrite(FOLDER + name, json.dumps(content or {}).encode())
        self.ever.add(name)
        return name


class PausingBucket:
    """A bucket whose list was taken some time ago."""

    def __init__(self, bucket: Bucket) -> None:
        self.bucket = bucket
        self.listed: list[tuple[str, datetime]] = []

    def list_modified(self, _: str) -> list[tuple[str, datetime]]:
        """Return the list."""
        return self.listed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bucket, name)


def find_orphans(story: Story) -> set[str]:
    """Return the objects that the head leads to nowhere, by its own reading of what is stored."""
    head = json.loads(story.bucket.get(HEAD).body)
    named = {head["pages"], *story.read_pages(head["pages"])}
    return {name for name in story.ever if story.exists(name)} - named


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_deleted_that_somebody_needs(seed: int) -> None:
    """Every head leads to all of its objects while anybody may read it; in the end no orphan is left."""
    story = Story(seed)
    story.run(800)
    assert story.faults == []

    for _ in range(3):
        story.clock.advance(hours=1)
        OrphanSweeper(cast("Any", story.bucket), story.clock).sweep(FOLDER)

    assert find_orphans(story) == set()
    next(story.read())
    assert story.faults == []
    assert len(story.ever) > 10


def test_what_nobody_knows_is_left() -> None:
    """Files with fixed names stay; what they name does, too, also through an object of a kind that newer code added."""
    clock = Clock(START)
    bucket = make_bucket(clock)
    index, page, orphan = "section.9-0123456789ab.json", "page.9-0123456789ab.json", "page.8-0123456789ab.json"
    bucket.overwrite(HEAD, json.dumps({"sections": [index]}).encode())
    bucket.overwrite(FOLDER + index, json.dumps({"pages": [page]}).encode())
    for name in (page, orphan, "notes.json"):
        bucket.overwrite(FOLDER + name, b"{}")
    sweeper = OrphanSweeper(cast("Any", bucket), clock)

    deleted = []
    for _ in range(4):
        clock.advance(hours=1)
        deleted.append(sweeper.sweep("data/b/"))

    assert deleted == [{FOLDER: 0}, {FOLDER: 1}, {FOLDER: 0}, {FOLDER: 0}]
    names = {key.removeprefix(FOLDER) for key in bucket.list_keys("")}
    assert names == {"head.json", index, page, "notes.json", "unnamed.json"}


def test_nothing_is_left_of_a_version_that_is_gone() -> None:
    """A folder whose head was deleted is swept however long it was quiet, and the list of its orphans goes last."""
    clock = Clock(START)
    bucket = make_bucket(clock)
    folder = "data/b/coins/boards/humans/0a/"
    bucket.overwrite(f"{folder}page.9-0123456789ab.json", b"{}")
    sweeper = OrphanSweeper(cast("Any", bucket), clock)
    clock.advance(days=30)

    deleted = []
    for _ in range(3):
        clock.advance(hours=1)
        deleted.append(sweeper.sweep("data/b/"))

    assert deleted == [{folder: 0}, {folder: 1}, {}]
    assert list(bucket.list_keys("")) == []
