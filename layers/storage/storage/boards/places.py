"""Where the pages of a board have a row: buckets of places, one line a row. Pure.

A row is found in the text and a line replaced without parsing the others: no JSON string contains a line break.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring_core.benchmarks.boards import RowId
from storage.boards.pages import BOARD_SCHEMA, PlacedRow, Row, bucket_of, dump, read_object

_START = f'{{"schema":{BOARD_SCHEMA},"places":{{'
_END = "\n}}"
_DECODER = json.JSONDecoder()


def encode_places(rows: Mapping[str, PlacedRow], metrics: Sequence[str]) -> bytes:
    """Return a bucket of places as it is stored, row id → row."""
    lines = (_make_line(row_id, row, metrics) for row_id, row in rows.items())
    return f"{_START}{','.join(lines)}{_END}".encode()


def decode_places(body: bytes, metrics: Sequence[str]) -> dict[str, PlacedRow]:
    """Read a bucket of places. Raises NewerSchema, KeyError, ValueError."""
    return {row_id: _read(stored, metrics) for row_id, stored in read_object(body)["places"].items()}


def find_placed_row(text: str, row_id: str, metrics: Sequence[str]) -> PlacedRow | None:
    """Find a row in the text of its bucket; None if the pages do not have it."""
    key = _key(row_id)
    start = text.find(key)
    return None if start < 0 else _read(_DECODER.raw_decode(text, start + len(key) - 1)[0], metrics)


def list_row_ids(text: str, player: str) -> list[str]:
    """Return the ids of all rows of a player in the text of the player's bucket."""
    row_ids = []
    for mark in (f"\n{dump(player)}:", f"\n{dump(str(RowId(player, '')))[:-1]}"):
        start = text.find(mark)
        while start >= 0:
            row_ids.append(_DECODER.raw_decode(text, start + 1)[0])
            start = text.find(mark, start + 1)
    return row_ids


def change_places(text: str, changed: Mapping[str, PlacedRow | None], metrics: Sequence[str]) -> str:
    """Return the text of a bucket after rows have come, moved or left (None)."""
    lines = []
    for row_id, row in changed.items():
        start = text.find(_key(row_id))
        if start >= 0:
            # With the comma before the line, or the one after it if it is the first.
            end = start + 1 + len(text[start + 1 : text.index("\n", start + 1)].removesuffix(","))
            is_first = start == len(_START)
            text = text[:start] + text[end:] if is_first else text[: start - 1] + text[end:]
            text = text.replace(f"{_START},", _START, 1) if is_first else text
        if row is not None:
            lines.append(_make_line(row_id, row, metrics))
    kept = text.removesuffix(_END)
    joint = "," if lines and kept != _START else ""
    return f"{kept}{joint}{','.join(lines)}{_END}"


def split_places(rows: Iterable[Row], buckets: int) -> list[dict[str, PlacedRow]]:
    """Return what each bucket stores of these rows."""
    places: list[dict[str, PlacedRow]] = [{} for _ in range(buckets)]
    for row in rows:
        places[bucket_of(row.id, buckets)][row.id] = PlacedRow(row.submission, row.submissions, row.scores)
    return places


def keep_bucket(text: str, bucket: int, buckets: int, metrics: Sequence[str]) -> str:
    """Return the text of a bucket that shared an object with others, without theirs."""
    rows = decode_places(text.encode(), metrics)
    kept = {row_id: row for row_id, row in rows.items() if bucket_of(row_id, buckets) == bucket}
    return encode_places(kept, metrics).decode()


def _make_line(row_id: str, row: PlacedRow, metrics: Sequence[str]) -> str:
    return f"{_key(row_id)}{dump([row.submission, row.submissions, *map(row.scores.get, metrics)])[1:]}"


def _key(row_id: str) -> str:
    return f"\n{dump(row_id)}:["


def _read(stored: Sequence[Any], metrics: Sequence[str]) -> PlacedRow:
    submission, submissions, *values = stored
    scores = dict(zip(metrics, values, strict=True))
    return PlacedRow(submission, submissions, {name: value for name, value in scores.items() if value is not None})
