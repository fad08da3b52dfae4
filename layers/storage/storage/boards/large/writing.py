"""Writes editions of large boards in one pass over their rows, with bounded memory."""

import gzip
import heapq
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import batched
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TextIO

from scoring_core.benchmarks.boards import MAIN
from storage.aws.errors import Conflict
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.large.editions import (
    CsvPart,
    Edition,
    EditionPart,
    EditionStore,
    encode_names,
    list_keys,
    pack_row,
)
from storage.boards.pages import MAX_WHOLE_ROWS
from storage.boards.reading import BoardReader, ShownBoard
from storage.boards.views import RankedRow
from storage.ids import Clock
from storage.keys import files_prefix

type WritePart = Callable[[EditionPart, bytes], str]
"""Writes an object of the edition and returns its name."""


class EditionSizes(NamedTuple):
    """How much goes where; tests use small numbers."""

    minimum: int = MAX_WHOLE_ROWS
    names: int = 4_000
    """Keys of a page of the index."""
    csv_bytes: int = 4_500_000
    """Of a part of the CSV, gzipped; it may have one batch of rows more."""
    batch: int = 1_000
    run: int = 200_000
    """Keys that are sorted in memory at once."""


SIZES = EditionSizes()


@dataclass(frozen=True, slots=True)
class EditionWriter:
    """Writes editions."""

    boards: BoardReader
    store: EditionStore
    clock: Clock
    sizes: EditionSizes = SIZES

    def write(self, benchmark: str, board: str = MAIN, *, version: str | None = None) -> bool:
        """Write an edition if a large board has changed; return whether it did."""
        if self._find_large(benchmark, board, version) is None:
            return False
        folder = files_prefix(benchmark, board, version=version)
        before = self.store.find(folder)
        shown = self._find_large(benchmark, board, version)  # after the edition: a newer one is never replaced
        if shown is None:
            return False
        head = shown.head
        if before is not None and (before.value.version, before.value.sequence) == (head.version, head.sequence):
            return False

        def write_part(part: EditionPart, body: bytes) -> str:
            return self.store.write_part(folder, part, body, sequence=head.sequence)

        edition = self._write_parts(shown, write_part)
        try:
            self.store.write(folder, edition, replacing=before)
        except Conflict:  # another run was faster
            return False
        return True

    def _find_large(self, benchmark: str, board: str, version: str | None) -> ShownBoard | None:
        shown = self.boards.find(benchmark, board, version=version)
        return shown if shown is not None and shown.total > self.sizes.minimum else None

    def _write_parts(self, shown: ShownBoard, write_part: WritePart) -> Edition:
        head, sizes = shown.head, self.sizes
        csv = CsvWriter(write_part, sizes.csv_bytes)
        has_labels, marked = head.row_kind == "label", head.baseline_rows
        csv.add(write_header(head.metrics, has_labels=has_labels, parts=head.parts, baselines=marked), rows=0)
        with TemporaryDirectory() as folder, ExitStack() as files:
            index = IndexSorter(Path(folder), sizes.run)
            for group in batched(shown.all_rows(), sizes.batch, strict=False):
                for ranked in group:
                    index.add(ranked)
                lines = write_lines(group, head.metrics, parts=head.parts, baselines=marked)
                csv.add("".join(lines), rows=len(group))
            names = tuple(_write_names(index.merge(files), sizes.names, write_part))
        return Edition(
            version=head.version,
            sequence=head.sequence,
            generated_at=self.clock(),
            total=shown.total,
            names=names,
            csv=tuple(csv.finish()),
        )


@dataclass(slots=True)
class IndexSorter:
    """Sorts the keys of rows by files of sorted runs."""

    folder: Path
    limit: int
    _lines: list[str] = field(default_factory=list)
    _runs: list[Path] = field(default_factory=list)

    def add(self, ranked: RankedRow) -> None:
        """Add the keys of a row."""
        row_id, packed = ranked.row.id, pack_row(ranked)
        self._lines += [f"{key}\0{row_id}\0{packed}\n" for key in list_keys(ranked.row)]
        if len(self._lines) >= self.limit:
            self._write_run()

    def merge(self, files: ExitStack) -> Iterator[tuple[str, str]]:
        """Return keys and packed rows, sorted by both; `files` closes what is read."""
        self._write_run()
        opened = [gzip.open(run, "rt", encoding="utf-8") for run in self._runs]  # noqa: SIM115  # `files` closes them
        runs: list[TextIO] = [files.enter_context(run) for run in opened]
        for line in heapq.merge(*runs):
            key, _, packed = line.rstrip("\n").split("\0")
            yield key, packed

    def _write_run(self) -> None:
        self._lines.sort()
        path = self.folder / str(len(self._runs))
        with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
            file.writelines(self._lines)
        self._runs.append(path)
        self._lines.clear()


@dataclass(slots=True)
class CsvWriter:
    """Writes CSV as gzipped parts."""

    write_part: WritePart
    max_bytes: int
    _body: io.BytesIO = field(default_factory=io.BytesIO)
    _file: gzip.GzipFile | None = None
    _rows: int = 0
    _parts: list[CsvPart] = field(default_factory=list)

    def add(self, text: str, *, rows: int) -> None:
        """Add lines."""
        if self._file is None:
            self._body = io.BytesIO()
            self._file = gzip.GzipFile(fileobj=self._body, mode="wb", mtime=0)
        self._file.write(text.encode())
        self._rows += rows
        if self._body.tell() >= self.max_bytes:
            self._end_part()

    def finish(self) -> Sequence[CsvPart]:
        """Write the last part and return all."""
        self._end_part()
        return self._parts

    def _end_part(self) -> None:
        if self._file is not None:
            self._file.close()
            body = self._body.getvalue()
            name = self.write_part(EditionPart.CSV, body)
            self._parts.append(CsvPart(name=name, rows=self._rows, size_bytes=len(body)))
            self._file, self._rows = None, 0


def _write_names(entries: Iterable[tuple[str, str]], size: int, write_part: WritePart) -> Iterator[tuple[str, str]]:
    """Write the pages of the index; yield the first key and the name of each."""
    for page in batched(entries, size, strict=False):
        yield page[0][0], write_part(EditionPart.NAMES, encode_names(page))
