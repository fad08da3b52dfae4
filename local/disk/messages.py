"""SQS's messages on disk. Receipts are not stored: what was in flight when the stack ended is delivered again."""

import json
import time
from typing import Any

from moto.sqs.models import MAXIMUM_MESSAGE_DELAY, Message, Queue, sqs_backends

from local.disk.store import Disk
from local.intrinsics import ACCOUNT, REGION

_FIELDS = (
    "id",
    "body",
    "system_attributes",
    "message_attributes",
    "deduplication_id",
    "group_id",
    "sequence_number",
    "delayed_until",
)
MAX_DELETED = 10_000
"""Receipts of deleted messages that can be deleted again; moto would hold every one."""


def keep_messages(disk: Disk) -> None:
    """Read all messages into moto, and record every change from now on."""
    queues: dict[str, Any] = sqs_backends[ACCOUNT][REGION].queues
    for queue in queues.values():
        queue.__class__ = _KeptQueue
        queue.disk = disk
    for row, name, text in disk.read("SELECT id, queue, message FROM messages ORDER BY id"):
        if name in queues:
            message = _load(json.loads(text))
            message.row = row
            queues[name]._messages.append(message)  # noqa: SLF001  # moto offers no public way
    ((last,),) = disk.read("SELECT coalesce(max(id), 0) FROM messages")
    _KeptQueue.last_row = last


class _KeptQueue(Queue):
    disk: Disk
    last_row = 0

    def add_message(self, message: Message) -> None:
        with self.disk.unit():
            super().add_message(message)
            if message not in self._messages:  # a repeated one of a FIFO queue
                return
            if not hasattr(message, "row"):  # one that comes from another queue has one
                _KeptQueue.last_row += 1
                message.row = _KeptQueue.last_row  # type: ignore[attr-defined]
            row = message.row  # type: ignore[attr-defined]
            text = json.dumps({field: getattr(message, field) for field in _FIELDS}, ensure_ascii=False)
            self.disk.write("INSERT OR REPLACE INTO messages VALUES (?, ?, ?)", row, self.name, text)

    def delete_message(self, receipt_handle: str) -> None:
        # In one unit: moto replaces the list of messages, and would lose one that is added meanwhile.
        with self.disk.unit():
            deleted = [message for message in self._messages if message.had_receipt_handle(receipt_handle)]
            super().delete_message(receipt_handle)
            for message in deleted:
                if hasattr(message, "row"):  # S3's notice of this start that it can reach the queue has none
                    self.disk.write("DELETE FROM messages WHERE id = ?", message.row)
            if len(self.deleted_messages) > MAX_DELETED:
                self.deleted_messages.clear()


def _load(fields: dict[str, Any]) -> Any:
    message = Message(fields["id"], fields["body"])
    for name in _FIELDS:
        setattr(message, name, fields[name])
    # A queue stands still while its stack does: a message's age counts from the start, or it might expire unread.
    message.mark_sent()
    message.delayed_until = min(message.delayed_until, (time.time() + MAXIMUM_MESSAGE_DELAY) * 1000)
    return message
