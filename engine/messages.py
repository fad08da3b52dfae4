"""SQS: queues with visibility, redrive and FIFO groups."""

import hashlib
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from engine.errors import ClientError, refuse
from engine.limits import (
    DEDUPLICATION_SECONDS,
    MAX_MESSAGE_BYTES,
    check_message,
)
from engine.store import Store

_WAIT_SECONDS: Final = 0.05
_RETENTION_SECONDS: Final = 345_600
_COLUMNS: Final = "number, grp, id, body, sent, first, receives, dedup, source"


class Sqs:
    """The calls of SQS's client that the gateway makes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._latest = store.clock()

    def get_queue_url(self, *, QueueName: str) -> dict[str, str]:
        """Return the address of a queue."""
        self._properties("GetQueueUrl", QueueName)
        return {"QueueUrl": f"https://sqs.us-east-1.amazonaws.com/123456789012/{QueueName}"}

    def send_message(
        self,
        *,
        QueueUrl: str,
        MessageBody: str,
        DelaySeconds: int = 0,
        MessageGroupId: str | None = None,
        MessageDeduplicationId: str | None = None,
    ) -> dict[str, str]:
        """Send a message."""
        operation, name = "SendMessage", _name_of(QueueUrl)
        properties = self._properties(operation, name)
        check_message(operation, MessageBody)
        is_fifo = bool(properties.get("FifoQueue"))
        if is_fifo and not MessageGroupId:
            raise refuse(operation, "The request must contain the parameter MessageGroupId.", "MissingParameter")
        if is_fifo and MessageDeduplicationId is None:
            text = "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided"
            raise refuse(operation, text, "InvalidParameterValue")
        dedup = MessageDeduplicationId if is_fifo else None
        return {
            "MessageId": self.enqueue(name, MessageBody, group=MessageGroupId, delay=DelaySeconds, dedup=dedup),
        }

    def send_message_batch(self, *, QueueUrl: str, Entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Send up to ten messages."""
        operation = "SendMessageBatch"
        if sum(len(entry["MessageBody"].encode()) for entry in Entries) > MAX_MESSAGE_BYTES:
            raise refuse(operation, "Batch requests are too long.", "AWS.SimpleQueueService.BatchRequestTooLong")
        return self._each(Entries, lambda entry: self.send_message(QueueUrl=QueueUrl, **entry))

    def receive_message(
        self,
        *,
        QueueUrl: str,
        MaxNumberOfMessages: int = 1,
        WaitTimeSeconds: int = 0,
        VisibilityTimeout: int | None = None,
        MessageSystemAttributeNames: Sequence[str] = (),
        AttributeNames: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Receive up to ten messages, and hide them from other receivers for a while."""
        operation, name = "ReceiveMessage", _name_of(QueueUrl)
        properties = self._properties(operation, name)
        hidden = properties.get("VisibilityTimeout", 30) if VisibilityTimeout is None else VisibilityTimeout
        deadline = time.monotonic() + WaitTimeSeconds
        while not (messages := self._take(name, properties, MaxNumberOfMessages, hidden)):
            if time.monotonic() >= deadline:
                return {}
            time.sleep(_WAIT_SECONDS)
        return {"Messages": messages}

    def delete_message(self, *, QueueUrl: str, ReceiptHandle: str) -> dict[str, Any]:
        """Delete a message by its last receipt; an older one deletes nothing."""
        properties, name = self._properties("DeleteMessage", _name_of(QueueUrl)), _name_of(QueueUrl)
        with self.store.writing() as connection:
            if properties.get("FifoQueue"):
                sql = "SELECT 1 FROM messages WHERE receipt = ? AND queue = ? AND visible <= ?"
                if connection.execute(sql, (ReceiptHandle, name, self.store.clock())).fetchone():
                    raise refuse("DeleteMessage", "The receipt handle has expired.", "InvalidParameterValue")
            connection.execute("DELETE FROM messages WHERE receipt = ? AND queue = ?", (ReceiptHandle, name))
        return {}

    def delete_message_batch(self, *, QueueUrl: str, Entries: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """Delete messages by their receipts."""
        return self._each(Entries, lambda entry: self.delete_message(QueueUrl=QueueUrl, **entry))

    def change_message_visibility(self, *, QueueUrl: str, ReceiptHandle: str, VisibilityTimeout: int) -> dict[str, Any]:
        """Hide a message for another time."""
        operation = "ChangeMessageVisibility"
        self._properties(operation, _name_of(QueueUrl))
        now = self.store.clock()
        with self.store.writing() as connection:
            sql = "UPDATE messages SET visible = ? WHERE receipt = ? AND visible > ?"
            if not connection.execute(sql, (now + VisibilityTimeout, ReceiptHandle, now)).rowcount:
                raise refuse(operation, "The message is not in flight.", "AWS.SimpleQueueService.MessageNotInflight")
        return {}

    def get_queue_attributes(self, *, QueueUrl: str, AttributeNames: Sequence[str] = ()) -> dict[str, Any]:
        """Return how many messages wait, are hidden, and are delayed."""
        name, now = _name_of(QueueUrl), self.store.clock()
        self._properties("GetQueueAttributes", name)
        sql = "SELECT visible > ?, receives > 0, count(*) FROM messages WHERE queue = ? GROUP BY 1, 2"
        counts = {(bool(hidden), bool(tried)): n for hidden, tried, n in self.store.read(sql, now, name)}
        return {
            "Attributes": {
                "ApproximateNumberOfMessages": str(counts.get((False, False), 0) + counts.get((False, True), 0)),
                "ApproximateNumberOfMessagesNotVisible": str(counts.get((True, True), 0)),
                "ApproximateNumberOfMessagesDelayed": str(counts.get((True, False), 0)),
            }
        }

    def purge_queue(self, *, QueueUrl: str) -> dict[str, Any]:
        """Delete all messages of a queue."""
        self._properties("PurgeQueue", _name_of(QueueUrl))
        with self.store.writing() as connection:
            connection.execute("DELETE FROM messages WHERE queue = ?", (_name_of(QueueUrl),))
        return {}

    def enqueue(
        self, name: str, body: str, *, group: str | None = None, delay: int = 0, dedup: str | None = None
    ) -> str:
        """Store a message, unless the same one was sent within five minutes; return its id."""
        now = self.store.clock()
        if dedup is not None and self._properties("Send", name).get("DeduplicationScope") == "messageGroup":
            scope: str | None = f"{group} {dedup}"
        else:
            scope = dedup
        with self.store.writing() as connection:
            if dedup is not None:
                sql = "SELECT id FROM sent WHERE queue = ? AND dedup = ? AND at BETWEEN ? AND ?"
                if row := connection.execute(sql, (name, scope, now - DEDUPLICATION_SECONDS, now)).fetchone():
                    return str(row[0])
            identity = str(uuid.uuid4())
            connection.execute(
                "INSERT INTO messages (queue, grp, visible, id, body, sent, dedup) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (name, group, now + delay, identity, body, now, dedup),
            )
            if dedup is not None:
                connection.execute("INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?)", (name, scope, now, identity))
        return identity

    def expire(self) -> None:
        """Delete messages that are older than their queue keeps them, and what tells repeats apart."""
        now = self.store.clock()
        for name in self.store.list_resources("queue"):
            kept = self._properties("Expire", name).get("MessageRetentionPeriod", _RETENTION_SECONDS)
            with self.store.writing() as connection:
                connection.execute("DELETE FROM messages WHERE queue = ? AND sent <= ?", (name, now - kept))
        with self.store.writing() as connection:
            connection.execute("DELETE FROM sent WHERE at <= ?", (now - DEDUPLICATION_SECONDS,))

    def release(self) -> None:
        """Let receivers have at once what others received and will never delete, because their processes ended."""
        self._make_visible("receives > 0 OR sent > :now")

    def follow_clock(self) -> None:
        """Let receivers have what waits for a time that is far off, because the clock stepped back meanwhile."""
        before, self._latest = self._latest, self.store.clock()
        if self._latest < before:
            self._make_visible("first > :now OR sent > :now")

    def _make_visible(self, which: str) -> None:
        sql = f"UPDATE messages SET visible = :now WHERE visible > :now AND ({which})"  # noqa: S608  # one of the above
        with self.store.writing() as connection:
            connection.execute(sql, {"now": self.store.clock()})

    def _each(
        self, entries: Sequence[Mapping[str, Any]], call: Callable[[dict[str, Any]], Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Make the call of each entry of a batch; what is refused is named in the answer."""
        answer: dict[str, Any] = {}
        with self.store.writing():
            for entry in entries:
                try:
                    done = {"Id": entry["Id"], **call({name: entry[name] for name in entry.keys() - {"Id"}})}
                    answer.setdefault("Successful", []).append(done)
                except ClientError as error:
                    refused = {"Id": entry["Id"], "SenderFault": True, **error.response["Error"]}
                    answer.setdefault("Failed", []).append(refused)
        return answer

    def _properties(self, operation: str, name: str) -> dict[str, Any]:
        properties = self.store.find_resource("queue", name)
        if properties is None:
            text = "The specified queue does not exist."
            raise refuse(operation, text, "AWS.SimpleQueueService.NonExistentQueue")
        return properties

    def _take(self, name: str, properties: Mapping[str, Any], most: int, hidden: int) -> list[dict[str, Any]]:
        now = self.store.clock()
        sql = "SELECT 1 FROM messages WHERE queue = ? AND visible <= ? LIMIT 1"
        if not self.store.read(sql, name, now):  # nobody writes to look
            return []
        redrive = properties.get("RedrivePolicy")
        kept = properties.get("MessageRetentionPeriod", _RETENTION_SECONDS)
        taken: list[dict[str, Any]] = []
        with self.store.writing() as connection:
            choose = self._choose_groups if properties.get("FifoQueue") else self._choose
            for row in choose(name, now, most):
                number, group, identity, body, sent, first, receives, dedup, source = row
                if sent <= now - kept:
                    connection.execute("DELETE FROM messages WHERE number = ?", (number,))
                elif redrive and receives >= int(redrive["maxReceiveCount"]):
                    dead = redrive["deadLetterTargetArn"].rpartition(":")[2]
                    sql = (
                        "UPDATE messages SET queue = ?, receipt = NULL, receives = 0, visible = ?, source = ? "
                        "WHERE number = ?"
                    )
                    connection.execute(sql, (dead, now, name, number))
                else:
                    receipt = f"{number}-{uuid.uuid4()}"
                    sql = "UPDATE messages SET receipt = ?, visible = ?, receives = ?, first = ? WHERE number = ?"
                    begun = now if first is None else first
                    connection.execute(sql, (receipt, now + hidden, receives + 1, begun, number))
                    attributes = {
                        "SenderId": "AIDALOCAL",
                        "SentTimestamp": str(int(sent * 1000)),
                        "ApproximateReceiveCount": str(receives + 1),
                        "ApproximateFirstReceiveTimestamp": str(int(begun * 1000)),
                        **({"MessageGroupId": group} if group else {}),
                        **({"MessageDeduplicationId": dedup} if dedup else {}),
                        **({"SequenceNumber": f"{number:020d}"} if properties.get("FifoQueue") else {}),
                        **(
                            {"DeadLetterQueueSourceArn": f"arn:aws:sqs:us-east-1:123456789012:{source}"}
                            if source
                            else {}
                        ),
                    }
                    taken.append(
                        {
                            "MessageId": identity,
                            "ReceiptHandle": receipt,
                            "Body": body,
                            "MD5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
                            "Attributes": attributes,
                        }
                    )
        return taken

    def _choose(self, name: str, now: float, most: int) -> list[Any]:
        sql = f"SELECT {_COLUMNS} FROM messages WHERE queue = ? AND visible <= ? ORDER BY visible, number LIMIT ?"  # noqa: S608
        return self.store.read(sql, name, now, most)

    def _choose_groups(self, name: str, now: float, most: int) -> Iterator[Any]:
        """Yield the first messages of groups of which none is in flight, the group that waits longest first."""
        firsts = sorted(self._list_groups(name), key=lambda entry: entry[1])
        for group, first in firsts:
            if most <= 0:
                return
            sql = "SELECT 1 FROM messages WHERE queue = ? AND grp = ? AND visible > ? LIMIT 1"
            if self.store.read(sql, name, group, now):
                continue
            sql = f"SELECT {_COLUMNS} FROM messages WHERE queue = ? AND grp = ? AND number >= ? ORDER BY number LIMIT ?"  # noqa: S608
            rows = self.store.read(sql, name, group, first, most)
            yield from rows
            most -= len(rows)

    def _list_groups(self, name: str) -> Iterator[tuple[str, int]]:
        """Yield each group of a queue with the number of its first message."""
        group = ""
        sql = "SELECT grp, number FROM messages WHERE queue = ? AND grp > ? ORDER BY grp, number LIMIT 1"
        while rows := self.store.read(sql, name, group):
            group, number = rows[0]
            yield group, number


def _name_of(url: str) -> str:
    return url.rpartition("/")[2]
