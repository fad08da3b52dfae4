"""The files of a board as they were: a head, and one file with all rows."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from scoring_core.metrics.score_type import Direction
from storage.submissions.models import PlayerKind

type Step = tuple[int, int | float, str, str]
"""An improvement of the primary metric: when (milliseconds since 1970), its value, the player, the submission."""


class Stored(BaseModel):
    """A model of stored JSON."""

    model_config = ConfigDict(frozen=True)

    def to_body(self) -> bytes:
        """Return the bytes of the object."""
        return self.model_dump_json().encode()


class Metric(Stored):
    """A metric as the board shows it."""

    id: str
    label: str
    unit: str | None
    direction: Direction
    decimals: int | None
    help: str | None
    primary: bool


class Rows(Stored):
    """Players in rank order, one array a column."""

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


class RowsFile(Stored):
    """All rows; never changed once written."""

    rows: Rows


class Histogram(Stored):
    """The values of a metric in equal bins."""

    min: float
    max: float
    counts: tuple[int, ...]


class Counts(Stored):
    """How much is on a board."""

    players: int
    submissions: int


class StaleFile(Stored):
    """A rows file that no head names any more."""

    key: str
    at: datetime


class Head(Stored):
    """What the first view of a board needs."""

    id: str
    title: str
    summary: str
    tags: tuple[str, ...]
    description: str
    version: str
    revision: int
    sequence: int
    generated_at: datetime
    total: int
    counts: Counts
    metrics: tuple[Metric, ...]
    rows: Rows
    rows_url: str
    histogram: dict[str, Histogram]
    best_over_time: tuple[Step, ...]
    records: int
    replaced: tuple[StaleFile, ...]


class Card(Stored):
    """A board on the front page."""

    id: str
    title: str
    players: int
    submissions: int
    best: int | float | None
    leader: tuple[str, ...]
    updated_at: datetime
    sequence: int


class Cards(Stored):
    """Every board, in order of id."""

    benchmarks: tuple[Card, ...] = ()
