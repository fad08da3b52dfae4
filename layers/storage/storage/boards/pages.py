"""The immutable objects under a board's head: pages of rows, their directory, places, recent changes. Pure.

They are plain JSON, checked where it is read: a rendering may read and write thousands of rows.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from scoring_core.benchmarks.boards import RowId, read_row_id
from scoring_core.ranking.standings import Place, RankOrder
from storage.gateway.schema import Schema

if TYPE_CHECKING:
    from storage.boards.models import Rows

BOARD_SCHEMA = Schema.SNAPSHOT.number
LARGE_BOARD = 200_000
PAGE_ROWS = 500
LARGE_PAGE_ROWS = 1_000
"""Of a board with more than LARGE_BOARD rows."""
BUCKET_ROWS = 2_000
"""So many rows a bucket of places has at most, on average; then there are twice as many buckets."""
MAX_WHOLE_ROWS = 20_000
"""Of a board that is read as a whole while somebody waits: from all standings, or row by row. A larger one is built by
the schedule, and needs `large/`."""


class ObjectKind(StrEnum):
    """What the name of an object starts with."""

    DIRECTORY = "directory"
    PAGE = "page"
    PLACES = "places"
    RECENT = "recent"
    IMPROVEMENTS = "improvements"


class Stamp(NamedTuple):
    """What the names of new objects have in them: the sequence of the head to be written, and a random text.

    Without that text, a later attempt at the same head could make an object again while it is deleted as an orphan.
    """

    sequence: int
    nonce: str = ""

    def name(self, kind: "ObjectKind", body: bytes) -> "NamedObject":
        """Return an object under its name."""
        digest = hashlib.sha256(self.nonce.encode() + body).hexdigest()[:12]
        return NamedObject(f"{kind}.{self.sequence}-{digest}.json", body)


class NamedObject(NamedTuple):
    """An immutable object of a board, and its name in the board's folder."""

    name: str
    body: bytes


class Row(NamedTuple):
    """A row of a board, without its rank. `label` is None unless each label of a player has a row."""

    player: str
    name: str
    kind: str
    verified: bool
    label: str | None
    scores: Mapping[str, int | float]
    submissions: int
    submission: str

    @property
    def id(self) -> str:
        """The row's id."""
        return str(RowId(self.player, self.label))

    def place(self, order: RankOrder) -> Place:
        """Return where the row belongs."""
        return order.place(self.scores, self.submission, self.id)

    def to_json(self) -> dict[str, Any]:
        """Return the row as a change stores it."""
        return {name: value for name, value in self._asdict().items() if name != "label" or value is not None}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read what `to_json` returned. Raises TypeError."""
        return cls(**{"label": None, **stored})


@dataclass(frozen=True)
class Change:
    """What the pages do not show yet: the row now (None: it left) and its place in the pages (None: in none)."""

    row: Row | None
    base: Place | None

    def to_json(self) -> dict[str, Any]:
        """Return the change as a head's buffer or the recent changes store it."""
        return {"row": self.row and self.row.to_json(), "base": self.base and self.base.to_json()}

    @cached_property
    def text(self) -> str:
        """The change as JSON.

        It is kept: each rendering writes all recent changes, thousands of them.
        """
        return dump(self.to_json())

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read what `to_json` returned. Raises KeyError, TypeError, ValueError."""
        row, base = stored["row"], stored["base"]
        return cls(None if row is None else Row.from_json(row), None if base is None else Place.from_json(base))


type Changes = Mapping[str, Change]
"""Row id → change."""


class PageLine(NamedTuple):
    """A page in the directory.

    `lead` is how many rows at its start share the first row's key, `tail` how many at its end the last row's.
    """

    name: str
    rows: int
    first: Place
    last: Place
    lead: int
    tail: int


class Directory(NamedTuple):
    """The pages in rank order, the buckets of places (a power of two), and the metrics that places store.

    Two buckets may be one object: it has the rows of both until either is written again.
    """

    pages: tuple[PageLine, ...]
    places: tuple[str, ...]
    metrics: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many rows the pages have."""
        return sum(line.rows for line in self.pages)


class PlacedRow(NamedTuple):
    """What places store of a row: all that its place follows from."""

    submission: str
    submissions: int
    scores: Mapping[str, int | float]


@dataclass(slots=True)
class PageRows:
    """Rows in rank order, one list a column; an absent score is None. `label` is None unless labels have rows."""

    player: list[str] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    verified: list[bool] = field(default_factory=list)
    label: list[str] | None = None
    scores: dict[str, list[int | float | None]] = field(default_factory=dict)
    submissions: list[int] = field(default_factory=list)
    submission: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.player)

    def __iter__(self) -> Iterator[Row]:
        return map(self.row, range(len(self)))

    @classmethod
    def of(cls, rows: Iterable[Row], metrics: Sequence[str], *, has_labels: bool) -> Self:
        """Return rows, which are in order, as columns."""
        page = cls(label=[] if has_labels else None, scores={metric: [] for metric in metrics})
        for row in rows:
            page.insert(len(page), row)
        return page

    @classmethod
    def of_head(cls, rows: "Rows") -> Self:
        """Return the rows of a head."""
        columns: dict[str, Any] = {name: list(getattr(rows, name)) for name in cls.__slots__ if name != "scores"}
        scores = {name: list(column) for name, column in rows.scores.items()}
        return cls(**{**columns, "label": columns["label"] or None, "scores": scores})

    def row(self, index: int) -> Row:
        """Return a row."""
        scores = {metric: value for metric, column in self.scores.items() if (value := column[index]) is not None}
        return Row(
            self.player[index],
            self.name[index],
            self.kind[index],
            self.verified[index],
            None if self.label is None else self.label[index],
            scores,
            self.submissions[index],
            self.submission[index],
        )

    def place(self, index: int, order: RankOrder) -> Place:
        """Return the place of a row."""
        scores = {
            metric: value
            for metric, _ in order.by
            if metric in self.scores and (value := self.scores[metric][index]) is not None
        }
        row_id = str(RowId(self.player[index], None if self.label is None else self.label[index]))
        return order.place(scores, self.submission[index], row_id)

    def insert(self, index: int, row: Row) -> None:
        """Insert a row before an index."""
        cells = [row.player, row.name, row.kind, row.verified, *([] if self.label is None else [row.label or ""])]
        cells += [*map(row.scores.get, self.scores), row.submissions, row.submission]
        for column, cell in zip(self._columns(), cells, strict=True):
            column.insert(index, cell)

    def delete(self, index: int) -> None:
        """Delete a row."""
        for column in self._columns():
            del column[index]

    def cut(self, start: int, end: int) -> "PageRows":
        """Return the rows of a range."""
        columns = self.to_json()
        scores = {metric: column[start:end] for metric, column in columns.pop("scores").items()}
        return PageRows(**{name: column[start:end] for name, column in columns.items()}, scores=scores)

    def extend(self, other: "PageRows") -> None:
        """Append the rows of the next page."""
        for column, following in zip(self._columns(), other._columns(), strict=True):  # noqa: SLF001  # its own kind
            column.extend(following)

    def to_json(self) -> dict[str, Any]:
        """Return the columns as a page stores them."""
        return {name: column for name in PageRows.__slots__ if (column := getattr(self, name)) is not None}

    def _columns(self) -> Iterator[list[Any]]:
        yield from (self.player, self.name, self.kind, self.verified)
        if self.label is not None:
            yield self.label
        yield from self.scores.values()
        yield from (self.submissions, self.submission)


def encode_page(page: PageRows) -> bytes:
    """Return a page as it is stored."""
    return write_object({"rows": page.to_json()})


def decode_page(body: bytes) -> PageRows:
    """Read a page. Raises NewerSchema, KeyError, ValueError."""
    return PageRows(**read_object(body)["rows"])


def encode_changes(changes: Changes) -> bytes:
    """Return recent changes as they are stored."""
    texts = (f"{dump(row_id)}:{change.text}" for row_id, change in changes.items())
    return f'{{"schema":{BOARD_SCHEMA},"changes":{{{",".join(texts)}}}}}'.encode()


def decode_changes(body: bytes) -> dict[str, Change]:
    """Read recent changes. Raises NewerSchema, KeyError, ValueError."""
    return read_changes(read_object(body)["changes"])


def read_changes(stored: Mapping[str, Any]) -> dict[str, Change]:
    """Read changes, of a head's buffer for example. Raises KeyError, ValueError."""
    return {row_id: Change.from_json(change) for row_id, change in stored.items()}


def encode_improvements(improvements: Sequence[Sequence[Any]]) -> bytes:
    """Return all improvements of a board as they are stored."""
    return write_object({"improvements": improvements})


def decode_improvements(body: bytes) -> tuple[Any, ...]:
    """Read all improvements of a board. Raises NewerSchema, KeyError, ValueError."""
    return tuple(map(tuple, read_object(body)["improvements"]))


def encode_directory(directory: Directory) -> bytes:
    """Return a directory as it is stored."""
    lines = [
        [line.name, line.rows, line.first.to_json(), line.last.to_json(), line.lead, line.tail]
        for line in directory.pages
    ]
    return write_object({"pages": lines, "places": directory.places, "metrics": directory.metrics})


def decode_directory(body: bytes) -> Directory:
    """Read a directory. Raises NewerSchema, KeyError, ValueError."""
    stored = read_object(body)
    lines = (
        PageLine(name, rows, Place.from_json(first), Place.from_json(last), lead, tail)
        for name, rows, first, last, lead, tail in stored["pages"]
    )
    return Directory(tuple(lines), tuple(stored["places"]), tuple(stored["metrics"]))


def bucket_of(row_id: str, buckets: int) -> int:
    """Return the bucket of places in which a row is: all rows of a player share one."""
    digest = hashlib.blake2b(read_row_id(row_id).player.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % buckets


def write_object(content: Mapping[str, Any]) -> bytes:
    """Return the bytes of an object, its schema first."""
    return dump({"schema": BOARD_SCHEMA, **content}).encode()


def dump(content: object) -> str:
    """Return what objects of boards have of a value."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def read_object(body: bytes) -> dict[str, Any]:
    """Read an object. Raises NewerSchema, KeyError, ValueError."""
    content: dict[str, Any] = json.loads(body)
    Schema.SNAPSHOT.check(content["schema"])
    return content
