"""What the handlers of this room work with, each built once from the environment of its function."""

import os
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from aggregate.promoter import VersionPromoter
from aggregate.rebuilder import Rebuilder
from aggregate.services import BoardService, make_board_service
from storage.access.flags import FlagStore
from storage.access.quotas import QuotaStore
from storage.aws.bucket import Bucket
from storage.aws.clients import dynamodb_client, s3_client, sqs_client
from storage.aws.queue import Queue
from storage.aws.table import Table
from storage.benchmarks.rescores import Rescoring
from storage.ids import Clock, utc_now
from storage.settings import RescoreSettings, StreamSettings
from storage.submissions.index import ResultIndex
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient


class StreamDependencies(NamedTuple):
    """What the handler of the stream works with."""

    boards: BoardService
    quotas: QuotaStore


@cache
def stream_dependencies() -> StreamDependencies:
    """Return what the handler of the stream works with."""
    settings = StreamSettings.read(os.environ)
    return StreamDependencies(
        make_board_service(settings, s3=s3_client(), dynamodb=dynamodb_client(), clock=utc_now),
        QuotaStore(Table(dynamodb_client(), settings.access_table)),
    )


@cache
def promoter() -> VersionPromoter:
    """Return what the handler of the rescore schedule works with."""
    settings = RescoreSettings.read(os.environ)
    return make_promoter(settings, s3=s3_client(), dynamodb=dynamodb_client(), sqs=sqs_client(), clock=utc_now)


def make_promoter(
    settings: RescoreSettings, *, s3: "S3Client", dynamodb: "DynamoDBClient", sqs: "SQSClient", clock: Clock
) -> VersionPromoter:
    """Build a version promoter, for the handler or the command line."""
    bucket, table = settings.results_bucket, settings.submissions_table
    submissions = SubmissionStore(Table(dynamodb, table), Bucket(s3, bucket))
    rescoring = Rescoring(
        results=ResultIndex(Table(dynamodb, table), Bucket(s3, bucket)),
        submissions=submissions,
        notices=EvaluateQueue(Queue(sqs, settings.evaluate_queue_url), bucket=bucket),
        markers=FlagStore(Table(dynamodb, settings.access_table)),
        withdrawals=WithdrawalStore(Table(dynamodb, table)),
        clock=clock,
    )
    workshop = make_board_service(settings, s3=s3, dynamodb=dynamodb, clock=clock)
    return VersionPromoter(rescoring, Rebuilder(workshop, submissions))
