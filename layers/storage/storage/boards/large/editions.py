"""Editions of large boards: CSV, and an index of names and ids, as of one moment.

A schedule writes an edition when a large board has changed. Its objects never change; `edition.json` names them.
"""

import hashlib
import json
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from storage.aws.bucket import Bucket, Versioned
from storage.aws.models import FrozenModel, StoredModel
from storage.aws.schema import Schema
from storage.boards.pages import Row
from storage.boards.reading import MAX_CACHE_BYTES
from storage.boards.snapshots import HEAD_CACHE, JSON, ROWS_CACHE, DecodedObjects
from storage.boards.views import RankedRow
from storage.keys import EDITION_FILE, files_prefix

GZIP: Final = "application/gzip"
ID_MARK: Final = " "
"""Before an id in the index; no name in it starts so."""


class EditionPart(StrEnum):
    """What the name of an object of an edition starts with."""

    NAMES = "names"
    CSV = "csv"


class CsvPart(FrozenModel):
    """A gzipped part of the board as CSV. All parts together are one gzipped file; the first has the header."""

    name: str
    rows: int
    size_bytes: int


class Edition(StoredModel):
    """`edition.json`: a board as of `sequence` of its head.

    `names` has the pages of the index: the first key of each, and its name. Names are of objects in the board's folder.
    """

    kind = Schema.EDITION

    version: str
    sequence: int
    generated_at: datetime
    total: int
    names: tuple[tuple[str, str], ...]
    csv: tuple[CsvPart, ...]


def fold_name(name: str) -> str:
    """Return a name without case, width, accents and further spaces.

    By lower case first, so that `ẞ` is `ß`, then by upper case, in which `ß` is `SS`: the site's pages do the same.

    >>> fold_name("ＡDÉLE  2"), fold_name("Straẞe"), fold_name("İlker Işık")
    ('ADELE 2', 'STRASSE', 'ILKER ISIK')
    """
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(letter for letter in decomposed if not unicodedata.category(letter).startswith("M"))
    return " ".join(letters.lower().upper().split())


def list_keys(row: Row) -> list[str]:
    """Return the keys of a row in the index: of its name and its player's id."""
    return [key for key in (fold_name(row.name), ID_MARK + fold_name(row.player)) if key]


def pack_row(ranked: RankedRow) -> str:
    """Return a row as a page of the index has it after its key: JSON, on one line."""
    return json.dumps([ranked.rank, ranked.tied, *ranked.row], ensure_ascii=False, separators=(",", ":"))


def encode_names(entries: Iterable[tuple[str, str]]) -> bytes:
    """Return a page of the index: a key and a packed row in each line."""
    columns = json.dumps(["key", "rank", "tied", *Row._fields])
    rows = ",".join(f"[{json.dumps(key, ensure_ascii=False)},{row[1:]}" for key, row in entries)
    return f'{{"schema":{Schema.EDITION.number},"columns":{columns},"rows":[{rows}]}}'.encode()


@dataclass(frozen=True, slots=True)
class EditionStore:
    """The editions in the site bucket."""

    bucket: Bucket

    def find(self, folder: str) -> Versioned[Edition] | None:
        """Read what `edition.json` in a folder says; None if there is none."""
        return self.bucket.find_model(folder + EDITION_FILE, Edition)

    def write(self, folder: str, edition: Edition, *, replacing: Versioned[Edition] | None) -> None:
        """Replace the edition. Raises Conflict if it changed since it was read."""
        etag = replacing and replacing.etag
        self.bucket.put(folder + EDITION_FILE, edition.to_body(), replacing=etag, CacheControl=HEAD_CACHE)

    def write_part(self, folder: str, part: EditionPart, body: bytes, *, sequence: int) -> str:
        """Write an object of an edition and return its name."""
        is_csv = part is EditionPart.CSV
        digest = hashlib.sha256(body).hexdigest()[:12]
        name = f"{part}.{sequence}-{digest}.{'csv.gz' if is_csv else 'json'}"
        self.bucket.overwrite(folder + name, body, content_type=GZIP if is_csv else JSON, CacheControl=ROWS_CACHE)
        return name

    def read_part(self, folder: str, name: str) -> bytes:
        """Read an object of an edition. Raises NotFound."""
        return self.bucket.get(folder + name).body


@dataclass(frozen=True)
class ShownEdition:
    """An edition of a board, whose index is read when it is needed.

    Args:
        folder: That of the board's files.
        edition: What `edition.json` says.
        store: Where the objects are.
        cache: Those that were read.
    """

    folder: str
    edition: Edition
    store: EditionStore
    cache: DecodedObjects

    def find_rows(self, text: str, limit: int) -> list[RankedRow]:
        """Return rows whose names start with a text, or else whose ids do, by rank.

        At most `limit` rows, which are those that come first in the alphabet.
        """
        prefix = fold_name(text)
        rows = self._find_first(prefix, limit) or self._find_first(ID_MARK + prefix, limit) if prefix else []
        return sorted(rows, key=lambda ranked: (ranked.rank, ranked.row.submission, ranked.row.id))

    def _find_first(self, prefix: str, limit: int) -> list[RankedRow]:
        rows: list[RankedRow] = []
        for key, ranked in self._read_from(prefix):
            if not key.startswith(prefix) or len(rows) >= limit:
                break
            rows.append(ranked)
        return rows

    def _read_from(self, key: str) -> Iterator[tuple[str, RankedRow]]:
        """Yield the keys of the index and their rows, from a key on."""
        pages = self.edition.names
        # A key may begin on the page before the first one that starts with it.
        first = max(0, bisect_left(pages, key, key=lambda page: page[0]) - 1)
        for _, name in pages[first:]:
            for indexed, rank, tied, *row in self._read_page(name):
                if indexed >= key:
                    yield indexed, RankedRow(rank, tied, Row(*row))

    def _read_page(self, name: str) -> list[Any]:
        return self.cache.read((self.folder, name), lambda: self.store.read_part(self.folder, name), _decode)


@dataclass(frozen=True, slots=True)
class EditionReader:
    """Reads editions."""

    store: EditionStore
    cache: DecodedObjects = field(default_factory=lambda: DecodedObjects(MAX_CACHE_BYTES))

    def find(self, benchmark: str, board: str, *, version: str) -> ShownEdition | None:
        """Return the edition of a board's version; None if there is none yet."""
        folder = files_prefix(benchmark, board, version=version)
        stored = self.store.find(folder)
        if stored is None or stored.value.version != version:
            return None
        return ShownEdition(folder, stored.value, self.store, self.cache)


def _decode(body: bytes) -> list[Any]:
    content = json.loads(body)
    Schema.EDITION.check(content["schema"])
    rows: list[Any] = content["rows"]
    return rows
