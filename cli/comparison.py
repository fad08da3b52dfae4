"""Two states of a board, player by player: who climbed, who fell, who came and who went."""

from typing import NamedTuple

from storage.access.names import label_player
from storage.boards.models import Rows


class Change(NamedTuple):
    """One player before and after; None where the player is not on that board, or has no such value."""

    player: str
    name: str
    rank_before: int | None
    rank_after: int | None
    value_before: float | None
    value_after: float | None

    @property
    def is_change(self) -> bool:
        """Whether anything changed."""
        return (self.rank_before, self.value_before) != (self.rank_after, self.value_after)


def compare_boards(before: Rows, after: Rows, *, column: str) -> list[Change]:
    """Compare two boards.

    Args:
        before: All rows as they were.
        after: All rows as they are.
        column: The column whose values are shown; a board that has none of this name shows no value.

    Returns:
        Every player of either, in order of the rank after; those who went come last, in order of the rank before.
    """
    old, new = _places(before, column), _places(after, column)
    names = _labels(before) | _labels(after)
    nobody = (None, None)
    return [
        Change(player, names[player], *_interleave(old.get(player, nobody), new.get(player, nobody)))
        for player in [*after.player, *(one for one in before.player if one not in new)]
    ]


def _interleave(
    old: tuple[int | None, float | None], new: tuple[int | None, float | None]
) -> tuple[int | None, int | None, float | None, float | None]:
    return old[0], new[0], old[1], new[1]


def _labels(rows: Rows) -> dict[str, str]:
    named = zip(rows.player, rows.name, rows.verified, strict=True)
    return {player: label_player(name, verified=verified) for player, name, verified in named}


def _places(rows: Rows, column: str) -> dict[str, tuple[int, float | None]]:
    values = rows.scores.get(column) or (None,) * len(rows.player)
    return {player: (rank, value) for player, rank, value in zip(rows.player, rows.rank, values, strict=True)}
