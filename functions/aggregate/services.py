"""What the stream and the command line share: an aggregator and a publisher over the same stores."""

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.publisher import Publisher
from storage.aws.bucket import Bucket
from storage.aws.table import Table
from storage.benchmarks.store import BenchmarkStore
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, StandingStore
from storage.ids import Clock
from storage.settings import AggregateSettings
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client


class BoardService(NamedTuple):
    """Folds standings and publishes boards."""

    benchmarks: BenchmarkStore
    aggregator: Aggregator
    publisher: Publisher

    def bring_up(self, board: BoardKey, players: Collection[str]) -> bool:
        """Fold the standings of these players, each once, and publish the board; False where another one is shown."""
        if not self.aggregator.update_standings(board, players):
            return False
        self.publisher.publish(board.benchmark, version=board.version, players=players)
        return True

    def rebuild(self, board: BoardKey) -> None:
        """Fold everybody's standing on a board anew and publish it."""
        self.aggregator.update_standings(board, None)
        self.publisher.publish(board.benchmark, version=board.version, players=None)


def make_board_service(
    settings: AggregateSettings, *, s3: "S3Client", dynamodb: "DynamoDBClient", clock: Clock
) -> BoardService:
    """Build a workshop over these settings and clients."""
    benchmarks = BenchmarkStore(Bucket(s3, settings.results_bucket), clock=clock)
    standings = StandingStore(Table(dynamodb, settings.boards_table))
    snapshots = SnapshotStore(Bucket(s3, settings.site_bucket))
    submissions = SubmissionStore(Table(dynamodb, settings.submissions_table), Bucket(s3, settings.results_bucket))
    withdrawals = WithdrawalStore(Table(dynamodb, settings.submissions_table))
    return BoardService(
        benchmarks=benchmarks,
        aggregator=Aggregator(benchmarks, standings, submissions, withdrawals),
        publisher=Publisher(benchmarks=benchmarks, standings=standings, snapshots=snapshots, clock=clock),
    )
