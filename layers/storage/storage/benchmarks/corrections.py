"""`corrections.json`: what rescores changed on the main board of a benchmark, and the owner's reasons until then.

The list names only players who are on the board. A name that was taken out does not come back.
"""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from pydantic import Field

from scoring_core.benchmarks.boards import RowId
from storage.benchmarks.store import Promotion
from storage.boards.models import Metric
from storage.boards.snapshots import HEAD_CACHE
from storage.gateway.bucket import Bucket
from storage.gateway.conditions import Absent, AtMost
from storage.gateway.models import FrozenModel, StoredModel
from storage.gateway.schema import Schema
from storage.gateway.table import Table, retry_on_conflict
from storage.keys import Clock, corrections_key

MAX_CORRECTIONS = 10
MAX_LISTED = 20
"""Of one correction: the list has at most 200 names, and 100 KB."""
MAX_FINAL = 1_000
"""Of a final, which lists all rows: 200 KB more, once."""
KEEP_NOTE = timedelta(days=365)


class CorrectedRow(FrozenModel):
    """A row before and after a correction; null: it was not on the board, or had or has no value."""

    player: str
    name: str
    label: str | None = None
    verified: bool
    rank_before: int | None
    rank_after: int
    value_before: int | float | None
    value_after: int | float | None

    @property
    def row_id(self) -> str:
        """The id of the row."""
        return str(RowId(self.player, self.label))

    @property
    def is_change(self) -> bool:
        """Return whether the rank or the value changed."""
        return (self.rank_before, self.value_before) != (self.rank_after, self.value_after)

    @property
    def is_moved(self) -> bool:
        """Return whether the rank changed."""
        return self.rank_before != self.rank_after


class Correction(FrozenModel):
    """What one rescore changed.

    Values are of `metric`. `rows` are on the board after it. The rank or value of `changed` of them is another, the
    rank of `moved`; `left` more have no score any more. `listed` are the first of those that changed: those whose rank
    did come first, the best rank first. Players who have left the board since are not among them. A final lists all
    rows in their order: before it they were ranked by the public rows of the truth, since then by the hidden ones.
    """

    version: str
    replaced: str
    at: datetime
    reason: str
    metric: Metric
    rows: int
    changed: int
    moved: int
    left: int
    listed: tuple[CorrectedRow, ...]
    final: bool = Field(default=False, exclude_if=lambda final: not final)


class Corrections(StoredModel):
    """`corrections.json`: the latest corrections of a benchmark, the newest first."""

    kind = Schema.SNAPSHOT

    id: str
    corrections: tuple[Correction, ...] = Field(max_length=MAX_CORRECTIONS)

    def add(self, correction: Correction) -> "Corrections":
        """Return the list with a correction, in place of an earlier attempt at it."""
        others = (each for each in self.corrections if each.at != correction.at)
        return self.model_copy(update={"corrections": (correction, *others)[:MAX_CORRECTIONS]})

    def list_rows(self) -> set[str]:
        """Return the ids of the rows that it names."""
        return {row.row_id for correction in self.corrections for row in correction.listed}

    def strike(self, rows: Collection[str]) -> "Corrections":
        """Return the list without the names of these rows."""
        kept = (
            each.model_copy(update={"listed": tuple(row for row in each.listed if row.row_id not in rows)})
            for each in self.corrections
        )
        return self.model_copy(update={"corrections": tuple(kept)})


class CorrectionStore(NamedTuple):
    """The lists of corrections in the site bucket."""

    bucket: Bucket

    def find(self, benchmark: str) -> Corrections | None:
        """Read a benchmark's list; None if it has no correction. Raises NewerSchema."""
        stored = self.bucket.find_model(corrections_key(benchmark), Corrections)
        return stored and stored.value

    def change(self, benchmark: str, change: Callable[[Corrections], Corrections]) -> None:
        """Replace a benchmark's list by what follows it. Raises Busy, NewerSchema."""

        def attempt() -> None:
            before = self.bucket.find_model(corrections_key(benchmark), Corrections)
            listed = before.value if before else Corrections(id=benchmark, corrections=())
            changed = change(listed)
            if changed != listed:
                etag = before and before.etag
                self.bucket.put(corrections_key(benchmark), changed.to_body(), replacing=etag, cache_control=HEAD_CACHE)

        retry_on_conflict(attempt, what=f"corrections of {benchmark}")


class CorrectionNoteStore(NamedTuple):
    """What owners say of the next version of a benchmark, in the access table."""

    table: Table
    clock: Clock

    def find(self, benchmark: str, *, version: str) -> str:
        """Read the public reason of a version (consistent); "" without one."""
        plain = self.table.get(Schema.CORRECTION_NOTE, key=_key(benchmark, version))
        return "" if plain is None else str(plain["reason"])

    def put(self, benchmark: str, *, version: str, reason: str) -> None:
        """Store the reason of a version; a later one wins, an empty one changes nothing."""
        expires_at = int((self.clock() + KEEP_NOTE).timestamp())
        if reason:
            self.table.put_if(
                Schema.CORRECTION_NOTE,
                {"key": _key(benchmark, version), "reason": reason, "expires_at": expires_at},
                Absent("key") | AtMost("expires_at", expires_at),
            )


def is_due(promotion: Promotion | None, *, version: str, shown: str | None) -> bool:
    """Return whether a board that shows another version still lacks this correction."""
    return promotion is not None and shown is not None and promotion.version == version != shown


def _key(benchmark: str, version: str) -> str:
    # Below the prefix of the flags of rescores, which the same functions write; there a number follows.
    return f"rescore#{benchmark}#note#{version}"
