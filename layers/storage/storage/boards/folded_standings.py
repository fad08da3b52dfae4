"""A standing as it is stored, with what it rests on: its accumulator."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self

from scoring_core.ranking.accumulators import Accumulator, FoldingRules
from scoring_core.ranking.improvement_lists import ImprovementList
from storage.boards.entries import BoardEntry
from storage.boards.standings import WithdrawalNotice, join_notices, read_notices, write_notices
from storage.gateway.schema import Plain
from storage.submissions.models import Player, player_from_attributes

MAX_ACCUMULATOR_BYTES = 200_000
"""A larger one is not stored: an item has at most 400 KB. All entries are then folded each time."""


@dataclass(frozen=True)
class FoldedStanding:
    """A player's standing on a board, at one lock version: the fold of the entries of its row that are stored then.

    The standing of a player at the first key of the main board is the player's *anchor*: each transaction of the player
    writes it. While the main board is stored under another key, an anchor holds no scores.

    Args:
        lock_version: Rises with each write; 0 if there is no item.
        publish_number: Under which it was folded.
        digest: That of the rules by which it was folded.
        player: The player as of the submission `named_by`.
        named_by: The latest submission that had scores.
        accumulator: As JSON; empty if it would be too large.
        improvements: As JSON.
        notices: The newest withdrawal notices.
        seen_number: Of an anchor: the latest publish number whose boards a writer knew.
        begun: Of an anchor: the boards that began until this publish number have standings of all rows of the player.
    """

    lock_version: int = 0
    publish_number: int = 0
    digest: str = ""
    player: Player | None = None
    named_by: str = ""
    accumulator: str = ""
    improvements: str = "[0]"
    notices: tuple[WithdrawalNotice, ...] = ()
    seen_number: int = 0
    begun: int = 0

    def read_accumulator(self, rules: FoldingRules) -> Accumulator | None:
        """Return the accumulator; None if there is none for these rules to read."""
        if self.lock_version == 0:
            return Accumulator()
        if self.digest != rules.digest or not self.accumulator:
            return None
        try:
            return Accumulator.from_json(self.accumulator, ImprovementList.from_json(self.improvements), rules)
        except (KeyError, TypeError, ValueError):
            return None

    def is_folded(self, rules: FoldingRules, publish_number: int) -> bool:
        """Return whether it was folded by these rules, and says so."""
        return self.lock_version > 0 and (self.digest, self.publish_number) == (rules.digest, publish_number)

    def follow(
        self, accumulator: Accumulator, seen: Collection[BoardEntry], *, rules: FoldingRules, publish_number: int
    ) -> Self:
        """Return a standing with another accumulator, and what these entries say besides.

        Its lock version is still the same.
        """
        player, named_by = self.player, self.named_by
        last = max((entry for entry in seen if entry.scores), key=lambda entry: entry.submission, default=None)
        if last is not None and last.submission >= named_by:
            player, named_by = last.player, last.submission
        text = accumulator.to_json()
        return replace(
            self,
            publish_number=publish_number,
            digest=rules.digest,
            player=player or next((entry.player for entry in seen), None),
            named_by=named_by,
            accumulator=text if len(text) <= MAX_ACCUMULATOR_BYTES else "",
            improvements=accumulator.improvements.to_json(),
            notices=join_notices(self.notices, (entry.notice for entry in seen)),
        )

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
            **({"seen": self.seen_number, "begun": self.begun} if self.seen_number else {}),
        }


def read_folded_standing(plain: Mapping[str, Plain] | None) -> FoldedStanding:
    """Read a standing; without an item, one that holds nothing.

    Of one that cannot be read only the numbers are returned, so that it is folded of all entries again.
    """
    if plain is None:
        return FoldedStanding()
    numbers = FoldedStanding(
        lock_version=int(plain["counter"]),
        publish_number=int(plain["revision"]),
        seen_number=int(plain.get("seen", 0)),
        begun=int(plain.get("begun", 0)),
    )
    try:
        return replace(
            numbers,
            digest=str(plain["rules"]),
            player=player_from_attributes(plain),
            named_by=str(plain["named_by"]),
            accumulator=str(plain["accumulator"]),
            improvements=str(plain["improvements"]),
            notices=read_notices(plain),
        )
    except (KeyError, TypeError, ValueError):
        return numbers
