"""Which raw results there are, and which of them lack an outcome: S3 and the submissions table, side by side."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from scoring_core.outcome import Outcome
from storage.aws.errors import aws_errors
from storage.aws.schema import Schema
from storage.ids import make_submission_id
from storage.keys import ResultKey, parse_result_key, results_prefix

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

_ATTRIBUTES = ("schema", "submission", "version", "outcome")


class OutcomeKey(NamedTuple):
    """That a submission has an outcome under a version."""

    submission: str
    version: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ResultIndex:
    """The raw results of the results bucket and the items of the submissions table, in order of time."""

    s3: "S3Client"
    dynamodb: "DynamoDBClient"
    bucket: str
    table: str

    def list_results(self, benchmark: str, *, since: datetime | None = None) -> Iterator[ResultKey]:
        """List a benchmark's raw results, the oldest first.

        Args:
            benchmark: The benchmark's id.
            since: Only results of this moment and later; what lies before is not read.
        """
        prefix = results_prefix(benchmark)
        start = str(ResultKey(benchmark, _first_id(since))) if since else prefix
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix, StartAfter=start)
        with aws_errors(f"list the results of {benchmark}"):
            for page in pages:
                keys = (parse_result_key(one["Key"]) for one in page.get("Contents", ()))
                yield from (key for key in keys if key is not None)

    def list_recorded(self, benchmark: str, *, since: datetime | None = None) -> Iterator[OutcomeKey]:
        """List (consistent) which submissions have an outcome under which version, in order of submission.

        Args:
            benchmark: The benchmark's id.
            since: Only submissions of this moment and later.
        """
        names = {f"#{name}": name for name in _ATTRIBUTES}
        pages = self.dynamodb.get_paginator("query").paginate(
            TableName=self.table,
            KeyConditionExpression="benchmark = :benchmark AND submission_version >= :since",
            ExpressionAttributeValues={
                ":benchmark": {"S": benchmark},
                ":since": {"S": _first_id(since) if since else "0"},
            },
            ExpressionAttributeNames=names,
            ProjectionExpression=", ".join(names),
            ConsistentRead=True,
        )
        with aws_errors(f"list the outcomes of {benchmark}"):
            for page in pages:
                for item in page["Items"]:
                    if "outcome" not in item:  # a withdrawal
                        continue
                    plain = Schema.RECORD.read(item)
                    outcome = Outcome(str(plain["outcome"]))
                    yield OutcomeKey(str(plain["submission"]), str(plain["version"]), outcome)

    def list_lacking(
        self, benchmark: str, *, versions: Collection[str], since: datetime | None = None
    ) -> list[ResultKey]:
        """List the results that lack an outcome under one of these versions, the oldest first.

        What comes while this is read may be listed though it has its outcome by then; the other way round never
        happens: whoever is left out has all its outcomes.
        """
        results = list(self.list_results(benchmark, since=since))
        found: dict[str, set[str]] = {}
        for one in self.list_recorded(benchmark, since=since):
            if one.version in versions:
                found.setdefault(one.submission, set()).add(one.version)
        return [key for key in results if found.get(key.submission, set()) < set(versions)]


def _first_id(moment: datetime) -> str:
    """Give the least id that a submission of this moment can have."""
    return make_submission_id(moment, bytes(10))
