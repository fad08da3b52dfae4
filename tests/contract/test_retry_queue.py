"""What failed is put off: twice as long each time, and never longer than SQS allows."""

import pytest

from local.aws import Cloud
from local.template import Template
from storage.gateway.errors import Refused
from storage.gateway.queue import Queue


@pytest.fixture
def queue(cloud: Cloud, template: Template) -> Queue:
    """The evaluate queue, with a message in it."""
    url = cloud.sqs.get_queue_url(QueueName=template.resources["EvaluateQueue"].name)["QueueUrl"]
    cloud.sqs.purge_queue(QueueUrl=url)  # of the test event that S3 sends when it is told to notify
    cloud.sqs.send_message(QueueUrl=url, MessageBody="{}")
    return Queue(cloud.sqs, url, base_seconds=30)


def test_deferred_message_is_hidden(queue: Queue) -> None:
    """A delayed message is not received before its time."""
    (message,) = queue.client.receive_message(QueueUrl=queue.url)["Messages"]

    queue.defer(message["ReceiptHandle"], receives=1)

    assert "Messages" not in queue.client.receive_message(QueueUrl=queue.url)


def test_message_without_backoff_comes_back_at_once(queue: Queue) -> None:
    """With a base of 0, as on one machine, what failed comes again at once."""
    at_once = Queue(queue.client, queue.url, base_seconds=0)
    (message,) = queue.client.receive_message(QueueUrl=queue.url)["Messages"]

    at_once.defer(message["ReceiptHandle"], receives=3)

    (again,) = queue.client.receive_message(QueueUrl=queue.url)["Messages"]
    assert again["MessageId"] == message["MessageId"]


def test_unknown_handle_is_refused(queue: Queue) -> None:
    """A handle that SQS does not know is an internal error."""
    with pytest.raises(Refused):
        queue.defer("no-such-handle", receives=1)
