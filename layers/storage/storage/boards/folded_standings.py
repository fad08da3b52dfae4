"""A standing as it is stored, with what it rests on: its accumulator."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scoring_core.ranking.accumulators import Accumulator, FoldingRules
from scoring_core.ranking.improvement_lists import ImprovementList
from storage.aws.attributes import Plain
from storage.boards.entries import BoardEntry
from storage.boards.withdrawal_notices import WithdrawalNotice, join_notices, read_notices, write_notices
from storage.submissions.models import Player, player_from_attributes

MAX_ACCUMULATOR_BYTES = 200_000
"""A larger one is not stored: an item has at most 400 KB. All entries are then folded each time."""


@dataclass(frozen=True)
class FoldedStanding:
    """A player's standing on a board, at one lock version: the fold of the entries of its row that are stored then.

    Args:
        lock_version: Rises with each write; 0 if there is no item.
        publish_number: Under which it was folded.
        digest: That of the rules by which it was folded.
        player: The player as of the submission `named_by`.
        named_by: The latest submission that had scores.
        accumulator: As JSON; empty if it would be too large.
        improvements: As JSON.
        notices: The newest withdrawal notices.
    """

    lock_version: int = 0
    publish_number: int = 0
    digest: str = ""
    player: Player | None = None
    named_by: str = ""
    accumulator: str = ""
    improvements: str = "[0]"
    notices: tuple[WithdrawalNotice, ...] = ()

    def read_accumulator(self, rules: FoldingRules) -> Accumulator | None:
        """Return the accumulator; None if there is none for these rules."""
        if self.lock_version == 0:
            return Accumulator()
        if self.digest != rules.digest or not self.accumulator:
            return None
        return Accumulator.from_json(self.accumulator, ImprovementList.from_json(self.improvements), rules)

    def join_notices(self, entries: Iterable[BoardEntry]) -> tuple[WithdrawalNotice, ...]:
        """Return the newest notices, with those of these entries."""
        return join_notices(self.notices, (entry.notice for entry in entries))

    def to_attributes(self, accumulator: Accumulator, rules: FoldingRules) -> dict[str, Plain]:
        """Return the attributes of the item except its key, with what the board shows."""
        assert self.player is not None  # noqa: S101  # it was folded of at least one entry
        standing = accumulator.read_standing(rules)
        return {
            **self.player.to_attributes(),
            "counter": self.lock_version,
            "revision": self.publish_number,
            "scores": json.dumps(standing.scores) if standing else "{}",
            "submission": standing.submission if standing else "",
            "submissions": accumulator.submissions,
            "removed": write_notices(self.notices),
            "rules": self.digest,
            "accumulator": self.accumulator,
            **({} if self.accumulator or standing is None or standing.done is None else {"done": standing.done}),
            "improvements": self.improvements,
            "named_by": self.named_by,
        }


def read_folded_standing(plain: Mapping[str, Plain] | None) -> FoldedStanding:
    """Read a standing; without an item, one that holds nothing."""
    if plain is None:
        return FoldedStanding()
    return FoldedStanding(
        lock_version=int(plain["counter"]),
        publish_number=int(plain["revision"]),
        digest=str(plain["rules"]),
        player=player_from_attributes(plain),
        named_by=str(plain["named_by"]),
        accumulator=str(plain["accumulator"]),
        improvements=str(plain["improvements"]),
        notices=read_notices(plain),
    )
