"""The pollers of the local stack: what fails is never lost."""

from typing import Any

import pytest

from local.functions import FunctionError
from tests.harness.stack import StackHarness


@pytest.mark.parametrize("answer", [FunctionError("the process died"), {"batchItemFailures": ["told"]}])
def test_a_message_outlives_its_failure(stack: StackHarness, answer: Any) -> None:
    """A message is in the queue for as long as nobody has said that it was handled."""
    poller = stack.queue_poller(lambda *_: None, queue="EvaluateQueue", function="EvaluateFunction")
    poller.cloud.sqs.send_message(QueueUrl=poller.url, MessageBody="{}")
    (message,) = poller._receive()
    poller.function = Failing(answer, message["MessageId"])  # type: ignore[assignment]

    poller._handle([message])

    hidden = poller.cloud.sqs.get_queue_attributes(
        QueueUrl=poller.url, AttributeNames=["ApproximateNumberOfMessagesNotVisible"]
    )
    assert hidden["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "1"


class Failing:
    """A function that dies, or says that a message failed."""

    logical_id = "EvaluateFunction"

    def __init__(self, answer: Any, message_id: str) -> None:
        self.answer, self.message_id = answer, message_id

    def invoke(self, _: Any) -> Any:
        """Fail."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"batchItemFailures": [{"itemIdentifier": self.message_id}]}
