"""Replays: copies of the raw results of a main board's first rows, and the list that names each of them."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from pydantic import Field

from storage.aws.bucket import Bucket, Versioned
from storage.aws.models import FrozenModel, StoredModel
from storage.aws.schema import Schema
from storage.keys import ResultKey, replay_key, replays_key

MAX_REPLAY_BYTES: Final = 1_000_000
"""A longer raw result is no replay."""
CACHE: Final = "public, max-age=2, must-revalidate"
"""As long as a head: a replay must be gone as soon as its row."""


class Replay(FrozenModel):
    """A copied raw result: whose row it counts for, and of which part; null without parts."""

    rank: int
    submission: str
    player: str
    name: str
    label: str | None = Field(default=None, exclude_if=lambda label: label is None)
    part: str | None = None


class ReplayList(StoredModel):
    """`replays.json`: the replays of a benchmark, in the order of the rows and their parts.

    `changing` are submissions whose copies are being made or deleted, so it says of each copy whether it can exist.
    """

    kind = Schema.SNAPSHOT

    id: str
    replays: tuple[Replay, ...]
    changing: tuple[str, ...] = Field(default=(), exclude_if=lambda changing: not changing)

    @property
    def shown(self) -> frozenset[str]:
        """The submissions whose copies exist."""
        return frozenset(replay.submission for replay in self.replays)

    @property
    def submissions(self) -> frozenset[str]:
        """The submissions of which a copy may exist."""
        return self.shown | frozenset(self.changing)


@dataclass(frozen=True, slots=True)
class ReplayStore:
    """The replays in the site bucket, copied from the results bucket. Nothing but the bytes of a result is copied."""

    site: Bucket
    results: Bucket

    def find(self, benchmark: str) -> Versioned[ReplayList] | None:
        """Read the list of a benchmark; None if there is none."""
        return self.site.find_model(replays_key(benchmark), ReplayList)

    def put(self, listed: ReplayList, *, replacing: Versioned[ReplayList] | None) -> Versioned[ReplayList]:
        """Replace the list that was read. Raises Conflict if it changed since."""
        key, etag = replays_key(listed.id), replacing and replacing.etag
        return Versioned(listed, self.site.put(key, listed.to_body(), replacing=etag, CacheControl=CACHE))

    def fits(self, benchmark: str, submission: str) -> bool:
        """Return whether a raw result exists and is short enough to be copied."""
        info = self.results.find_info(str(ResultKey(benchmark, submission)))
        return info is not None and info.size_bytes <= MAX_REPLAY_BYTES

    def copy(self, benchmark: str, submission: str) -> None:
        """Copy a raw result, without its metadata. Raises NotFound."""
        source, key = str(ResultKey(benchmark, submission)), replay_key(benchmark, submission)
        self.site.copy(source, key, content_type="application/json", source_bucket=self.results.name, cache=CACHE)

    def delete_copies(self, benchmark: str, submissions: Collection[str]) -> None:
        """Delete copies, if they exist. Raises Busy."""
        self.site.delete_all(replay_key(benchmark, submission) for submission in sorted(submissions))

    def delete_all(self, benchmark: str) -> None:
        """Delete all copies of a benchmark that are listed, then the list. Raises Busy."""
        listed = self.find(benchmark)
        if listed is not None:
            self.delete_copies(benchmark, listed.value.submissions)
            self.site.delete(replays_key(benchmark))
