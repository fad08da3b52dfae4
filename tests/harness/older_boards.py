"""What the release before folded: contributions of one submission to one part each, and standings of schema 1.

Such items are read for ever. This is the code that wrote them, so that tests meet all that it could leave behind.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from scoring_core.ranking.improvements import Improvements
from scoring_core.ranking.standings import Contribution, Standing
from storage.aws.attributes import Plain, marshal
from storage.aws.errors import Conflict, NewerSchema, aws_errors, retry_on_conflict
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.boards.entries import BoardEntry
from storage.boards.standings import BoardKey, PlayerContribution, StandingStore, standing_key
from storage.boards.withdrawal_notices import join_notices, write_notices

type Fold = Callable[[Sequence[Contribution]], tuple[Standing | None, Improvements]]
"""From the contributions that are not withdrawn to the standing, None: none, and the player's improvements."""


class FoldedFromEntries(NewerSchema):
    """Newer code folds this standing from board entries; older code then folded it so, too."""


@dataclass(frozen=True)
class OlderBoards:
    """The boards table, as the release before wrote it."""

    table: Table

    def contribute(self, board: BoardKey, entries: Iterable[BoardEntry]) -> None:
        """Write what entries contribute, part by part."""
        for entry in entries:
            for part, scores in entry.scores.items():
                contribution = Contribution(entry.submission, part, scores)
                self.put_contribution(
                    board,
                    PlayerContribution(
                        entry.player, contribution, entry.record_revision, entry.withdrawn, entry.notice
                    ),
                )

    def put_contribution(self, board: BoardKey, contributed: PlayerContribution) -> None:
        """Write a contribution, unless its stored record revision is the same or higher."""
        contribution, notice = contributed.contribution, contributed.notice
        item: dict[str, Plain | None] = {
            "board": str(board),
            "item": f"contribution#{contributed.player.id}#{contribution.part}#{contribution.submission}",
            **contributed.player.to_attributes(),
            "submission": contribution.submission,
            "part": contribution.part,
            "scores": json.dumps(contribution.scores),
            "revision": contributed.record_revision,
            "withdrawn": contributed.withdrawn,
            "withdrawn_at": notice and notice.at.isoformat(),
            "reason": notice and notice.reason,
        }
        with suppress(Conflict):
            self.table.put(
                Schema.CONTRIBUTION,
                item,
                condition="attribute_not_exists(#board) OR #revision < :revision",
                values={"revision": contributed.record_revision},
            )

    def update_standing(self, board: BoardKey, player: str, *, fold: Fold, publish_number: int) -> None:
        """Fold a player's contributions into the standing.

        Raises Conflict if a newer ranking folded it, FoldedFromEntries, Busy.
        """
        key = {"board": str(board), "item": standing_key(player)}

        def attempt() -> bool:
            before = self.table.get(Schema.STANDING, **key)
            contributions = list(StandingStore(self.table).all_contributions(board, player=player))
            if before is not None and int(before["revision"]) > publish_number:
                return False
            if before is not None and "accumulator" in before:
                raise FoldedFromEntries(f"{player} on {board}: newer code folds the standing from board entries")
            contributions.sort(key=lambda contributed: contributed.contribution.submission)
            if contributions:
                after = _make_standing(contributions, fold) | {"revision": publish_number}
                if before is None or any(before.get(name) != value for name, value in after.items()):
                    self._put(key, after, lock_version=int(before["counter"]) if before else 0)
            return True

        if not retry_on_conflict(attempt, what="standing"):
            raise Conflict(f"standing of {player} on {board}: folded by a newer ranking")

    def _put(self, key: Mapping[str, str], after: Mapping[str, Plain], *, lock_version: int) -> None:
        with aws_errors("write a standing of schema 1"):
            self.table.client.put_item(
                TableName=self.table.name,
                Item=marshal({**key, "counter": lock_version + 1, **after, "schema": 1}),
                ConditionExpression="attribute_not_exists(#counter) OR #counter = :counter",
                ExpressionAttributeNames={"#counter": "counter"},
                ExpressionAttributeValues=marshal({":counter": lock_version}),
            )


def _make_standing(contributions: Sequence[PlayerContribution], fold: Fold) -> dict[str, Any]:
    standing, improvements = fold([each.contribution for each in contributions if not each.withdrawn])
    return {
        **contributions[-1].player.to_attributes(),
        "scores": json.dumps(standing.scores) if standing else "{}",
        "submission": standing.submission if standing else "",
        "submissions": standing.submissions if standing else 0,
        "steps": json.dumps(improvements if standing else ()),
        "removed": write_notices(join_notices((), (contributed.notice for contributed in contributions))),
    }
