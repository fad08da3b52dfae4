"""The files that the browser reads. Their models are the contract with the frontend; every file carries `schema`."""

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from scoring_core.metrics.score_type import Direction
from storage.aws.schema import Schema, StoredModel
from storage.submissions.models import PlayerKind


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, serialize_by_alias=True, validate_by_name=True, defer_build=True)


class _File(StoredModel):
    form = Schema.SNAPSHOT


class Metric(_Model):
    """A column as the board shows it."""

    id: str
    label: str
    unit: str | None
    direction: Direction
    decimals: int | None = Field(ge=0, le=15)
    help: str | None
    primary: bool


class Rows(_Model):
    """Players in rank order, one array a column; every array has the same length.

    An absent score is null. `at` is when the submission came that the standing rests on, in milliseconds since 1970.
    `delta` is by how many ranks the player has climbed since the head's baseline, null for who was not on the board
    then; the array is empty where there is no baseline.
    """

    player: tuple[str, ...] = ()
    name: tuple[str, ...] = ()
    kind: tuple[PlayerKind, ...] = ()
    verified: tuple[bool, ...] = ()
    rank: tuple[int, ...] = ()
    tied: tuple[bool, ...] = ()
    delta: tuple[int | None, ...] = ()
    scores: dict[str, tuple[int | float | None, ...]] = {}
    submissions: tuple[int, ...] = ()
    at: tuple[int, ...] = ()
    submission: tuple[str, ...] = ()


class RowsFile(_File):
    """`rows.{sequence}-{hash}.json`: all rows; never changed once written."""

    rows: Rows


class Histogram(_Model):
    """How the values of a metric spread: `counts` over equal bins from `min` to `max`."""

    min: float
    max: float
    counts: tuple[int, ...]


class Counts(_Model):
    """How much a board rests on."""

    players: int
    submissions: int


class WithdrawalNotices(_Model):
    """A submission that was withdrawn: whose it was, when it was taken off the board, and why."""

    player: str
    name: str = ""
    at: datetime
    reason: str
    submission: str = ""


class StaleRowsFile(_Model):
    """A rows file that no head names any more; the publisher deletes it after a while."""

    key: str
    at: datetime


class Baseline(_Model):
    """What deltas are counted from: the rows as they stood at the end of an earlier day (UTC)."""

    date: date
    rows_url: str


type Step = tuple[int, int | float, str, str]
"""A record of the primary metric: when it was set (milliseconds since 1970), its value, the player, the submission."""


class Head(_File):
    """`head.json`: what the first sight of a board needs.

    `revision` is that of the published benchmark; less where somebody's standing was not folded by its ranking yet:
    then the schedule folds everybody's. `sequence` rises with every publishing of the board. `rows` are the first
    rows, 100 or as many as fit. `best_over_time` are the records in order of time, `records` how many there are
    before some are left out; null in a head that was written before there were any. `removed` are the newest ones.
    """

    id: str
    title: str
    summary: str
    tags: tuple[str, ...]
    description: str
    version: str
    revision: int
    sequence: int
    generated_at: datetime
    opens: datetime | None
    closes: datetime | None
    total: int
    counts: Counts
    metrics: tuple[Metric, ...]
    rank_rule: str
    rows: Rows
    rows_url: str
    histogram: dict[str, Histogram]
    best_over_time: tuple[Step, ...] = ()
    records: int | None = None
    baseline: Baseline | None = None
    removed: tuple[WithdrawalNotices, ...] = ()
    replaced: tuple[StaleRowsFile, ...] = ()


type State = Literal["not_open_yet", "open", "closed"]


class IndexEntry(_Model):
    """One card of the front page.

    `leader_verified` says of each name in `leader` whether it is a verified player's; it is empty in an index that was
    written before it was known.
    """

    id: str
    title: str
    summary: str
    tags: tuple[str, ...]
    state: State
    opens: datetime | None
    closes: datetime | None
    players: int
    submissions: int
    primary: Metric
    best: int | float | None
    leader: tuple[str, ...]
    leader_verified: tuple[bool, ...] = ()
    updated_at: datetime
    sequence: int


class Index(_File):
    """`index.json`: every board, in order of id."""

    benchmarks: tuple[IndexEntry, ...] = ()
