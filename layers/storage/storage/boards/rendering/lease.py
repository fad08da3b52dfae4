"""The lease of a board that several want to render: one holds a lease, the others leave words about what they folded.

No head is right because of it: compare-and-swap sees to that. It saves the work of those who would lose races.
A word never changes. A renderer that read it before the standings, and has rendered these, may delete it.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from storage.gateway.conditions import Above, Absent, Below, Equals, Prefix
from storage.gateway.errors import Conflict
from storage.gateway.schema import Schema
from storage.gateway.table import Table
from storage.ids import Clock

LEASE_SECONDS: Final = 15
"""Longer than nearly every rendering. If one takes longer, somebody else may render beside it."""
BUILD_SECONDS: Final = 300
"""The same for the builder of a large board from all standings; the schedule tries again after so long."""
_LEASE: Final = "lease"
_WORD: Final = "word#"


class HeldLease(NamedTuple):
    """The renderer of a board, and how long others take that to be so.

    While it is exclusive the others leave words at once: they would win every race against who reads all standings.
    """

    holder: str
    until: int
    is_exclusive: bool

    def is_over(self, now: datetime) -> bool:
        """Return whether the time is up: who is done deletes its lease.

        One that ends later than any can is from before the clock was set back.
        """
        return not 0 <= self.until - int(now.timestamp()) <= BUILD_SECONDS


class Word(NamedTuple):
    """The rows that somebody folded and left to the holder of the lease."""

    item: str
    rows: frozenset[str]


@dataclass(frozen=True, slots=True)
class BoardLease:
    """The lease of a board and the words, in a partition of the boards table that nothing else is in.

    Args:
        table: The boards table.
        board: The board.
        name: The renderer's. A batch that is delivered again has the same name, and its lease.
        clock: The time.
    """

    table: Table
    board: str
    name: str
    clock: Clock

    def take(self, *, seconds: int = LEASE_SECONDS, is_exclusive: bool = False) -> bool:
        """Take the lease, or take it up; return False if somebody else has it."""
        now = int(self.clock().timestamp())
        return self.table.put_if(
            Schema.BOARD_LEASE,
            {**lease_key(self.board), "holder": self.name, "until": now + seconds, "exclusive": is_exclusive},
            Absent("holder") | Equals("holder", self.name) | Below("until", now) | Above("until", now + BUILD_SECONDS),
        )

    def find(self) -> HeldLease | None:
        """Read who holds the lease (consistent)."""
        item = self.table.get_item(**lease_key(self.board))
        return None if item is None else read_lease(item)

    def release(self) -> None:
        """Let anybody take the lease, if it is still held under this name.

        It stays, as one whose time is up, until `end` deletes it: so whoever renders next sees that words may be left
        if this process dies before it has looked for them.
        """
        item = {**lease_key(self.board), "holder": self.name, "until": 0, "exclusive": False}
        self.table.put_if(Schema.BOARD_LEASE, item, Equals("holder", self.name))

    def end(self) -> None:
        """Delete the lease, if it is still held under this name."""
        with suppress(Conflict):
            self.table.delete(Equals("holder", self.name), **lease_key(self.board))

    def leave_word(self, rows: Collection[str], *, nonce: str) -> None:
        """Leave these rows to the holder.

        Every word has a nonce of its own, so that none is deleted that was not read.
        """
        item = {"board": _partition(self.board), "item": f"{_WORD}{nonce}", "rows": json.dumps(sorted(rows))}
        self.table.put_if(Schema.WORD, item, Absent("item"))  # botocore repeated the call

    def find_words(self) -> Sequence[Word]:
        """Read the words that are left (consistent)."""
        return list(self._read_words())

    def forget(self, words: Sequence[Word]) -> None:
        """Delete words whose rows are published."""
        for word in words:
            self.table.delete(board=_partition(self.board), item=word.item)

    def _read_words(self) -> Iterator[Word]:
        for item in self.table.query(("board", _partition(self.board)), Prefix("item", _WORD)):
            plain = Schema.WORD.read(item)
            yield Word(str(plain["item"]), frozenset(json.loads(str(plain["rows"]))))


def lease_key(board: str) -> dict[str, str]:
    """Return the key of a board's lease."""
    return {"board": _partition(board), "item": _LEASE}


def is_lease(item: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether an item is a lease."""
    return item["item"] == {"S": _LEASE}


def read_lease(item: Mapping[str, Mapping[str, Any]]) -> HeldLease:
    """Return the lease that an item is."""
    plain = Schema.BOARD_LEASE.read(item)
    return HeldLease(str(plain["holder"]), int(plain["until"]), bool(plain["exclusive"]))


def _partition(board: str) -> str:
    return f"{board}#rendering"
