"""The lease of a board that several want to render: one holds a lease, the others leave words about what they folded.

No head is right because of it: compare-and-swap sees to that. It saves the work of those who would lose races.
A word never changes. A renderer that read it before the standings, and has rendered these, may delete it.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, NamedTuple

from storage.gateway.conditions import Above, Absent, Below, Equals, ItemCondition, Prefix
from storage.gateway.errors import Conflict
from storage.gateway.schema import Schema
from storage.gateway.table import Table
from storage.keys import Clock

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


class BoardLease(NamedTuple):
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
        free = (
            Absent("holder") | Equals("holder", self.name) | Below("until", now) | Above("until", now + BUILD_SECONDS)
        )
        return self._put(now + seconds, free, is_exclusive=is_exclusive)

    def find(self) -> HeldLease | None:
        """Read who holds the lease (consistent)."""
        return read_lease(self.table.get_item(**lease_key(self.board)))

    def release(self) -> None:
        """End the time of the lease, if it is still held under this name.

        It stays until `end`, and shows the next renderer that words may be left if this process dies.
        """
        self._put(0, Equals("holder", self.name))

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
        words = map(Schema.WORD.read, self.table.query(("board", _partition(self.board)), Prefix("item", _WORD)))
        return [Word(str(word["item"]), frozenset(json.loads(str(word["rows"])))) for word in words]

    def forget(self, words: Sequence[Word]) -> None:
        """Delete words whose rows are published."""
        for word in words:
            self.table.delete(board=_partition(self.board), item=word.item)

    def _put(self, until: int, condition: ItemCondition, *, is_exclusive: bool = False) -> bool:
        return self.table.put_if(
            Schema.BOARD_LEASE,
            {**lease_key(self.board), "holder": self.name, "until": until, "exclusive": is_exclusive},
            condition,
        )


def lease_key(board: str) -> dict[str, str]:
    """Return the key of a board's lease."""
    return {"board": _partition(board), "item": _LEASE}


def read_lease(item: Mapping[str, Mapping[str, Any]] | None) -> HeldLease | None:
    """Return the lease that an item is, if it is one."""
    if item is None or item["item"] != {"S": _LEASE}:
        return None
    plain = Schema.BOARD_LEASE.read(item)
    return HeldLease(str(plain["holder"]), int(plain["until"]), bool(plain["exclusive"]))


def _partition(board: str) -> str:
    return f"{board}#rendering"
