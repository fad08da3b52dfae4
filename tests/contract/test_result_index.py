"""Results and their outcomes side by side, in order of time; flags; notices."""

import copy
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest

from local.template import Template
from storage.flags import FlagStore
from storage.gateway.aws import AwsMessages
from storage.gateway.errors import Busy
from storage.gateway.queue import Queue
from storage.gateway.s3_events import read_notices
from storage.gateway.table import Table
from storage.keys import ResultKey, parse_result_key
from storage.submissions.index import ResultIndex
from storage.submissions.models import Submission, SubmissionRecord
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore
from tests.harness.raw_cloud import RawCloud

HOUR = timedelta(hours=1)


@pytest.fixture
def results(submissions: SubmissionStore) -> ResultIndex:
    """The list over the stores' bucket and table."""
    return ResultIndex(submissions.table, submissions.bucket)


@pytest.fixture
def flags(cloud: RawCloud, template: Template) -> FlagStore:
    """The store of flags."""
    return FlagStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


@pytest.fixture
def notices(cloud: RawCloud, template: Template, submissions: SubmissionStore) -> EvaluateQueue:
    """The evaluate queue."""
    url = cloud.sqs.get_queue_url(QueueName=template.resources["EvaluateQueue"].name)["QueueUrl"]
    return EvaluateQueue(Queue(cloud.messages, url), bucket=submissions.bucket.name)


def test_unscored_results_are_listed(
    results: ResultIndex,
    submissions: SubmissionStore,
    make_submission: Callable[..., Submission],
    make_record: Callable[..., SubmissionRecord],
) -> None:
    """Listed is what lacks an outcome under any of the versions, the oldest first."""
    handed_in = [make_submission() for _ in range(6)]
    for one in [*handed_in[:4], handed_in[5]]:
        submissions.put_result(one, b"{}")
    for index, version in ((0, "a"), (0, "b"), (1, "a"), (2, "c"), (4, "a"), (5, "b"), (5, "a"), (5, "c")):
        submissions.put_record(make_record(submission=handed_in[index], version=version))

    lacking = results.list_unscored("coin-run", versions=("a", "b"))

    assert list(lacking) == [ResultKey("coin-run", one.id) for one in handed_in[1:4]]


def test_results_are_listed_since_a_moment(
    results: ResultIndex,
    submissions: SubmissionStore,
    make_submission: Callable[..., Submission],
    make_record: Callable[..., SubmissionRecord],
) -> None:
    """What is older than the moment is left out of both lists; what is of that very moment is not."""
    first, second = make_submission(), make_submission()
    for one in (first, second):
        submissions.put_result(one, b"{}")
        submissions.put_record(make_record(submission=one))

    listed = list(results.list_results("coin-run", since=second.submitted_at + timedelta(milliseconds=-1)))
    recorded = [one.submission for one in results.list_recorded("coin-run", since=second.submitted_at)]

    assert listed == [ResultKey("coin-run", second.id)]
    assert recorded == [second.id]


def test_flag_is_set_until_it_expires(flags: FlagStore, clock: Any) -> None:
    """A marker is set once, counts for its time, and can then be set again."""
    first = flags.set("sweep#a", now=clock(), keep=HOUR)
    second = flags.set("sweep#a", now=clock(), keep=HOUR)
    stood = flags.is_set("sweep#a", now=clock())
    clock.advance(seconds=3600)

    assert (first, second, stood) == (True, False, True)
    assert not flags.is_set("sweep#a", now=clock())
    assert flags.set("sweep#a", now=clock(), keep=HOUR)


def test_results_are_enqueued_in_batches(notices: EvaluateQueue, make_submission: Callable[..., Submission]) -> None:
    """Each result gets a message that evaluate reads as one of S3's; they go ten at a time."""
    keys = [ResultKey("coin-run", make_submission().id) for _ in range(23)]

    sent = list(notices.send(keys))

    bodies = []
    while found := notices.queue.receive(wait_seconds=0):
        bodies += [message.body for message in found if "s3:TestEvent" not in message.body]
    assert sent == [10, 10, 3]
    assert sorted(parse_result_key(notice.key) for body in bodies for notice in read_notices(body)) == sorted(keys)
    assert json.loads(bodies[0])["Records"][0]["s3"]["bucket"]["name"] == notices.bucket


def test_notices_that_were_not_taken(notices: EvaluateQueue, make_submission: Callable[..., Submission]) -> None:
    """What the queue would not take is sent again, and only that; in the end it is an error."""
    asked: list[int] = []

    def send(**request: Any) -> Any:
        asked.append(len(request["Entries"]))
        first, *others = request["Entries"]
        return {"Successful": [{"Id": first["Id"]}], "Failed": [{"Id": one["Id"]} for one in others]}

    stubborn = copy.replace(notices, queue=Queue(AwsMessages(Mock(send_message_batch=send)), "u"))

    with pytest.raises(Busy, match="2 of 7"):
        list(stubborn.send([ResultKey("coin-run", make_submission().id) for _ in range(7)]))

    assert asked == [7, 6, 5, 4, 3]
