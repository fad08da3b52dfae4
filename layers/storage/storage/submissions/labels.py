"""The labels that a player has used on a benchmark: one item of at most MAX_LABELS, so a board has an end."""

import base64
import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from storage.gateway.conditions import Absent, ItemChange, SizeIs
from storage.gateway.schema import Schema
from storage.gateway.table import Table, retry_on_conflict

MAX_LABELS = 100
"""Labels of a player on a benchmark. None is ever taken back, so what was rejected once stays rejected."""
_DIGEST_BYTES = 9


class LabelStore(NamedTuple):
    """The labels in the access table, as short hashes: two are alike once in 10^18 pairs."""

    table: Table

    def admit(self, benchmark: str, player: str, labels: Sequence[str]) -> frozenset[str]:
        """Return which of these labels a player may use; new ones while there is room.

        A label that was used before costs one read and no write. Raises Busy.
        """
        digests = {label: _digest(label) for label in labels}

        def attempt() -> frozenset[str]:
            used = self._read(benchmark, player)
            new = [digest for digest in dict.fromkeys(digests.values()) if digest not in used]
            admitted = new[: MAX_LABELS - len(used)]
            if admitted:
                self.table.update(
                    Schema.LABELS,
                    {"key": _key(benchmark, player)},
                    ItemChange(add={"labels": frozenset(admitted)}),
                    SizeIs("labels", len(used)) if used else Absent("labels"),
                )
            return frozenset(label for label, digest in digests.items() if digest in used or digest in admitted)

        return retry_on_conflict(attempt, what=f"labels of {player} on {benchmark}")

    def _read(self, benchmark: str, player: str) -> frozenset[str]:
        item = self.table.get_item(key=_key(benchmark, player))
        if item is None:
            return frozenset()
        Schema.LABELS.check(int(item["schema"]["N"]))
        return frozenset(item["labels"]["SS"])


def _key(benchmark: str, player: str) -> str:
    return f"labels#{benchmark}#{player}"


def _digest(label: str) -> str:
    return base64.b64encode(hashlib.blake2b(label.encode(), digest_size=_DIGEST_BYTES).digest()).decode()
