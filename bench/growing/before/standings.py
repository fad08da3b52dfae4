"""The boards table as it was: a contribution for each part of each submission, of which a standing is folded whole."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from scoring_core.ranking.accumulators import FoldingRules
from scoring_core.ranking.improvements import find_improvements
from scoring_core.ranking.standings import Contribution, Standing, fold_standing
from storage.aws.errors import Conflict, retry_on_conflict
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.submissions.models import Player, player_from_attributes


class ShownStanding(NamedTuple):
    """A standing, its player, and the player's improvements."""

    player: Player
    standing: Standing
    improvements: tuple[tuple[str, int | float], ...]


@dataclass(frozen=True, slots=True)
class ContributionStore:
    """Contributions and standings, one item each; every change is one conditional write."""

    table: Table

    def add(
        self, board: str, player: Player, contributions: Sequence[Contribution], rules: FoldingRules, *, number: int
    ) -> None:
        """Write what a submission contributes, part by part, and fold the player's standing of all that there is."""
        for contribution in contributions:
            with suppress(Conflict):
                self.table.put(
                    Schema.BOARD_ENTRY,
                    make_contribution_item(board, player, contribution),
                    condition="attribute_not_exists(#board) OR #revision < :revision",
                    values={"revision": 1},
                )
        retry_on_conflict(lambda: self._fold(board, player.id, rules, number), what=f"standing of {player.id}")

    def read(self, board: str, players: Iterable[str] | None) -> dict[str, ShownStanding]:
        """Read the standings of these players, or of all."""
        if players is None:
            items = self.table.query(key=("board", board), prefix=("item", "player#"))
        else:
            items = self.table.get_many({"board": board, "item": f"player#{player}"} for player in set(players))
        return {standing.player.id: standing for standing in map(_read_standing, map(Schema.STANDING.read, items))}

    def _fold(self, board: str, player_id: str, rules: FoldingRules, number: int) -> None:
        key = {"board": board, "item": f"player#{player_id}"}
        before = self.table.get(Schema.STANDING, **key)
        player, contributions = None, []
        for contributor, contribution in self._list_contributions(board, player_id):
            player = contributor
            contributions.append(contribution)
        assert player is not None
        contributions.sort(key=lambda contribution: contribution.submission)
        rest: Any = {"ranking": rules.ranking, "score_type": rules.score_type, "parts": rules.parts}
        standing, improvements = fold_standing(contributions, **rest), find_improvements(contributions, **rest)
        assert standing is not None
        after = make_standing_attributes(ShownStanding(player, standing, improvements), number=number)
        if before is None or any(before.get(name) != value for name, value in after.items()):
            counter = int(before["counter"]) if before else 0
            self.table.put(
                Schema.STANDING,
                {**key, "counter": counter + 1, **after},
                condition="#counter = :counter" if counter else "attribute_not_exists(#board)",
                values={"counter": counter} if counter else None,
            )

    def _list_contributions(self, board: str, player: str) -> Iterator[tuple[Player, Contribution]]:
        for item in self.table.query(key=("board", board), prefix=("item", f"contribution#{player}#")):
            plain = Schema.BOARD_ENTRY.read(item)
            scores = json.loads(str(plain["scores"]))
            yield (
                player_from_attributes(plain),
                Contribution(str(plain["submission"]), str(plain["part"]), scores),
            )


def make_contribution_item(board: str, player: Player, contribution: Contribution) -> dict[str, Any]:
    """Return the item of a contribution."""
    return {
        "board": board,
        "item": f"contribution#{player.id}#{contribution.part}#{contribution.submission}",
        **player.to_attributes(),
        "submission": contribution.submission,
        "part": contribution.part,
        "scores": json.dumps(contribution.scores),
        "revision": 1,
        "withdrawn": False,
    }


def make_standing_attributes(shown: ShownStanding, *, number: int) -> dict[str, Any]:
    """Return the attributes of a standing's item, without its key and lock version."""
    return {
        **shown.player.to_attributes(),
        "revision": number,
        "scores": json.dumps(shown.standing.scores),
        "submission": shown.standing.submission,
        "submissions": shown.standing.submissions,
        "steps": json.dumps(shown.improvements),
        "removed": "[]",
    }


def _read_standing(plain: Mapping[str, Any]) -> ShownStanding:
    standing = Standing(json.loads(plain["scores"]), plain["submission"], int(plain["submissions"]))
    improvements = tuple((submission, value) for submission, value in json.loads(plain["steps"]))
    return ShownStanding(player_from_attributes(plain), standing, improvements)
