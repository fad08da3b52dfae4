"""The pollers of the local stack lose no message."""

from typing import Any

import pytest

from local.functions import FunctionError
from tests.harness.stack import StackHarness


@pytest.mark.parametrize("answer", [FunctionError("the process died"), {"batchItemFailures": ["failed"]}])
def test_message_that_failed_stays_in_the_queue(stack: StackHarness, answer: Any) -> None:
    """A message is deleted only after the function has handled it."""
    poller = stack.queue_poller(lambda *_: None, queue="EvaluateQueue", function="EvaluateFunction")
    poller.cloud.sqs.purge_queue(QueueUrl=poller.url)  # S3 has sent it a test event
    poller.cloud.sqs.send_message(QueueUrl=poller.url, MessageBody="{}")
    (message,) = poller.receive()
    poller.function = Failing(answer, message.id)

    poller.handle([message])

    hidden = poller.cloud.sqs.get_queue_attributes(
        QueueUrl=poller.url, AttributeNames=["ApproximateNumberOfMessagesNotVisible"]
    )
    assert hidden["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "1"


class Failing:
    """A function that dies, or reports that a message failed."""

    logical_id = "EvaluateFunction"

    def __init__(self, answer: Any, message_id: str) -> None:
        self.answer, self.message_id = answer, message_id

    def invoke(self, _: Any) -> Any:
        """Fail."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"batchItemFailures": [{"itemIdentifier": self.message_id}]}
