"""The doorway of the schedule that finishes rescores, and publishes boards that were left behind."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext

from aggregate.promoter import VersionPromoter
from aggregate.rebuilder import Rebuilder
from aggregate.services import make_board_service
from storage.access.flags import FlagStore
from storage.aws.clients import dynamodb_client, s3_client, sqs_client
from storage.benchmarks.rescores import PromotionBlocked, Rescoring
from storage.ids import Clock
from storage.settings import RescoreSettings
from storage.submissions.index import ResultIndex
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

PATIENCE_SECONDS = 60.0

logger = Logger()


def make_promoter(
    settings: RescoreSettings, *, s3: "S3Client", dynamodb: "DynamoDBClient", sqs: "SQSClient", clock: Clock
) -> VersionPromoter:
    """Build what rescores, over these settings and clients."""
    bucket, table = settings.results_bucket, settings.submissions_table
    submissions = SubmissionStore(s3=s3, dynamodb=dynamodb, bucket=bucket, table=table)
    rescoring = Rescoring(
        results=ResultIndex(s3=s3, dynamodb=dynamodb, bucket=bucket, table=table),
        submissions=submissions,
        notices=EvaluateQueue(sqs=sqs, url=settings.evaluate_queue_url, bucket=bucket),
        markers=FlagStore(dynamodb=dynamodb, table=settings.access_table),
        withdrawals=WithdrawalStore(dynamodb=dynamodb, table=table),
        clock=clock,
    )
    workshop = make_board_service(settings, s3=s3, dynamodb=dynamodb, clock=clock)
    return VersionPromoter(rescoring, Rebuilder(workshop, submissions))


@cache
def promoter() -> VersionPromoter:
    """Build, once, what rescores: the environment is read here and nowhere else."""
    settings = RescoreSettings.read(os.environ)
    return make_promoter(settings, s3=s3_client(), dynamodb=dynamodb_client(), sqs=sqs_client(), clock=now)


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> list[str]:  # noqa: ARG001  # Lambda's signature
    """Bring every rescore that was asked for a step further; give the benchmarks whose next version became current."""
    moved, failures = [], []
    for benchmark in promoter().rebuilder.workshop.benchmarks.list_in_turn():
        with logger.append_context_keys(benchmark=benchmark):
            try:
                if promoter().advance(benchmark, patience_seconds=PATIENCE_SECONDS):
                    logger.info("the next version is current")
                    moved.append(benchmark)
            except PromotionBlocked as error:  # the board is as it was; who must act has been mailed about what failed
                logger.warning("a rescore is withheld", extra={"reason": str(error)})
            except Exception as error:
                logger.exception("a rescore could not go on, will be tried again")
                failures.append(error)
    if failures:
        raise ExceptionGroup("not all rescores could go on", failures)
    return moved
