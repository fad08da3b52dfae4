"""What the stream and the command line share: an aggregator and a publisher over the same stores."""

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.publisher import Publisher
from ledger.benchmark_store import BenchmarkStore
from ledger.settings import AggregateSettings
from ledger.snapshot_store import SnapshotStore
from ledger.standing_store import BoardKey, StandingStore
from ledger.submission_id import Clock
from ledger.submission_store import SubmissionStore
from ledger.withdrawals import WithdrawalStore

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client


class Workshop(NamedTuple):
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


def make_workshop(settings: AggregateSettings, *, s3: "S3Client", dynamodb: "DynamoDBClient", clock: Clock) -> Workshop:
    """Build a workshop over these settings and clients."""
    benchmarks = BenchmarkStore(s3=s3, bucket=settings.results_bucket, clock=clock)
    standings = StandingStore(dynamodb=dynamodb, table=settings.boards_table)
    snapshots = SnapshotStore(s3=s3, bucket=settings.site_bucket)
    submissions = SubmissionStore(
        s3=s3, dynamodb=dynamodb, bucket=settings.results_bucket, table=settings.submissions_table
    )
    withdrawals = WithdrawalStore(dynamodb=dynamodb, table=settings.submissions_table)
    return Workshop(
        benchmarks=benchmarks,
        aggregator=Aggregator(benchmarks, standings, submissions, withdrawals),
        publisher=Publisher(benchmarks=benchmarks, standings=standings, snapshots=snapshots, clock=clock),
    )
