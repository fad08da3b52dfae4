"""A benchmark, and a board of any number of players, in memory; standings change without being folded."""

import gc
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from growing.memory import MemoryS3, MemoryTables

from aggregate.dependencies import make_aggregator
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.accumulators import FoldingRules, ScoredSubmission, fold_submissions
from scoring_core.ranking.improvement_lists import ImprovementList
from scoring_core.ranking.standings import NO_PART, Standing
from storage.benchmarks.store import BenchmarkStore
from storage.boards.folded_standings import FoldedStanding
from storage.boards.standings import BoardKey
from storage.gateway.bucket import Bucket
from storage.gateway.schema import marshal
from storage.gateway.table import RisingNumbers, Table
from storage.keys import make_submission_id
from storage.settings import AggregateSettings
from storage.submissions.models import Player, PlayerKind
from tests.harness.stack import make_benchmark

START = datetime(2026, 3, 1, tzinfo=UTC)
DEFINITION = {
    "id": "crowd",
    "title": "A crowd",
    "summary": "Points and how exact they were.",
    "scorer": "script",
    "score_type": {
        "headers": [
            {"name": "points", "type": "float", "direction": "higher"},
            {"name": "accuracy", "type": "float", "direction": "higher"},
        ]
    },
    "ranking": {"keep": "latest", "combine": "mean", "by": ["points"]},
    "contacts": {"owner": "owner@example.com"},
}
"""Where the latest result counts, every one changes a row."""
SETTINGS = AggregateSettings(
    stage="bench",
    results_bucket="results",
    site_bucket="site",
    submissions_table="submissions",
    boards_table="boards",
    access_table="access",
)
KEYS = {
    "boards": ("board", "item"),
    "access": ("key",),
    "submissions": ("benchmark", "submission_version"),
}


class ShownRow(NamedTuple):
    """What a row of a board shows."""

    player: str
    name: str
    rank: int
    tied: bool
    scores: dict[str, int | float | None]
    submissions: int
    submission: str


@dataclass
class Crowd:
    """A board of `size` players whose standings change, and what publishes it.

    Args:
        size: How many players have a standing.
    """

    size: int
    dynamodb: MemoryTables = field(default_factory=lambda: MemoryTables(KEYS))
    s3: MemoryS3 = field(default_factory=MemoryS3)
    moment: datetime = START

    def __post_init__(self) -> None:
        """Publish the benchmark, and store a standing of each player."""
        dynamodb: Any = self.dynamodb
        s3: Any = self.s3
        self.chance = random.Random(self.size)
        results = Bucket(s3, SETTINGS.results_bucket)
        benchmarks = BenchmarkStore(results, clock=self.now, numbers=RisingNumbers(Table(dynamodb, "access")))
        self.published = benchmarks.publish(make_benchmark(DEFINITION))
        self.board = BoardKey(self.published.id, self.published.version)
        self.aggregator = make_aggregator(SETTINGS, s3=s3, dynamodb=dynamodb, clock=self.now)
        self.changed: dict[int, tuple[Standing, ImprovementList]] = {}
        """Of the players whose standings changed."""
        self._template = self._make_template()
        self.dynamodb.stock("boards", map(self.make_item, range(self.size)))
        # A renderer does not hold the standings of all players: they are no work for its garbage collector.
        gc.collect()
        gc.freeze()

    def now(self) -> datetime:
        """Return the time, which stands still while something is published."""
        return self.moment

    def change(self, players: Sequence[int]) -> list[str]:
        """Let players do something that changes their rows; return their ids."""
        self.moment += timedelta(milliseconds=10)
        for number in players:
            before, improvements = self.find(number)
            after = _draw(self.chance, self.moment, before.submissions + 1)
            self.changed[number] = after, _improve(improvements, after)
        self.dynamodb.stock("boards", map(self.make_item, players))
        return [make_player(number).id for number in players]

    def find(self, number: int) -> tuple[Standing, ImprovementList]:
        """Return the standing of a player, and the player's improvements."""
        if number in self.changed:
            return self.changed[number]
        first = _draw(random.Random(number), START - timedelta(days=30) + timedelta(seconds=number), 1)
        return first, _improve(ImprovementList(), first)

    def make_item(self, number: int) -> Any:
        """Return the item of a standing; of its accumulator, which no renderer reads, only the size is right."""
        (standing, improvements), player = self.find(number), make_player(number)
        attributes = {
            **self._template,  # it has the board
            **player.to_attributes(),
            "item": f"player#{player.id}",
            "scores": json.dumps(standing.scores),
            "submission": standing.submission,
            "submissions": standing.submissions,
            "improvements": improvements.to_json(),
            "counter": standing.submissions,
            "schema": 1,
        }
        return marshal(attributes)

    def _make_template(self) -> dict[str, Any]:
        """Return the attributes of a standing that was folded."""
        definition = self.published.definition
        rules = FoldingRules(definition.ranking, definition.score_type, self.published.parts)
        standing, _ = self.find(0)
        accumulator = fold_submissions([ScoredSubmission(standing.submission, {NO_PART: standing.scores})], rules)
        folded = FoldedStanding(
            lock_version=1,
            publish_number=self.published.publish_number,
            digest=rules.digest,
            player=make_player(0),
            accumulator=accumulator.to_json(),
        )
        return {"board": str(self.board), **folded.to_attributes(accumulator, rules)}


def _draw(chance: random.Random, moment: datetime, submissions: int) -> Standing:
    """Draw a standing; some players have the same points."""
    scores = {"points": round(chance.gauss(500, 150), 2), "accuracy": round(chance.random(), 4)}
    return Standing(scores, make_submission_id(moment, chance.randbytes(10)), submissions)


def _improve(improvements: ImprovementList, standing: Standing) -> ImprovementList:
    return improvements.append(standing.submission, standing.scores["points"], Direction.HIGHER)


def make_player(number: int) -> Player:
    """Return a player."""
    return Player(f"player-{number:07d}", f"Player {number:,} of us", PlayerKind.HUMAN, verified=True)
