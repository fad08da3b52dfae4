"""Queues with visibility, redrive and FIFO groups."""

import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from engine.limits import DEDUPLICATION_SECONDS, MAX_MESSAGE_BYTES
from engine.store import Store
from storage.gateway.errors import Refused
from storage.gateway.queue import BATCH, FifoPlace, ReceivedMessage

_NOT_IN_MESSAGES: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WAIT_SECONDS: Final = 0.05
_RETENTION_SECONDS: Final = 345_600
_COLUMNS: Final = "number, grp, id, body, sent, first, receives"
_RECEIVED: Final = "number = CAST(?1 AS INTEGER) AND receipt = ?1"  # a receipt begins with the number


class Messages:
    """The queues of a store, with the calls of the gateway's `Messages`; a queue's name ends its URL."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._latest = store.clock()

    def send(self, url: str, body: str, /, *, delay_seconds: int | None = None, place: FifoPlace | None = None) -> None:
        """Send a message, unless the same one was sent within five minutes."""
        properties, name, now = self._properties(url), _name_of(url), self.store.clock()
        if _NOT_IN_MESSAGES.search(body) or not 1 <= len(body.encode()) <= MAX_MESSAGE_BYTES:
            raise Refused(f"send a message: expected 1 to {MAX_MESSAGE_BYTES} bytes of the characters of XML")
        if properties.get("FifoQueue") and place is None:
            raise Refused(f"send a message: {url} is a FIFO queue, which needs a group and a name")
        group, dedup = place or (None, None)
        with self.store.writing() as connection:
            if dedup is not None:
                scope = f"{group} {dedup}" if properties.get("DeduplicationScope") == "messageGroup" else dedup
                sql = "SELECT id FROM sent WHERE queue = ? AND dedup = ? AND at BETWEEN ? AND ?"
                if connection.execute(sql, (name, scope, now - DEDUPLICATION_SECONDS, now)).fetchone():
                    return
                connection.execute("INSERT OR REPLACE INTO sent VALUES (?, ?, ?, '')", (name, scope, now))
            connection.execute(
                "INSERT INTO messages (queue, grp, visible, id, body, sent) VALUES (?, ?, ?, ?, ?, ?)",
                (name, group, now + (delay_seconds or 0), str(uuid.uuid4()), body, now),
            )

    def send_many(self, url: str, bodies: Sequence[str], /) -> Sequence[str]:
        """Send up to ten messages, all of them or none."""
        if len(bodies) > BATCH or sum(len(body.encode()) for body in bodies) > MAX_MESSAGE_BYTES:
            raise Refused(f"send messages: expected at most {BATCH} of {MAX_MESSAGE_BYTES} bytes together")
        with self.store.writing():
            for body in bodies:
                self.send(url, body)
        return ()

    def receive(self, url: str, /, *, most: int = BATCH, wait_seconds: int = 0) -> list[ReceivedMessage]:
        """Receive messages, and hide them from other receivers for a while."""
        deadline = time.monotonic() + wait_seconds
        while not (messages := self._take(url, most)) and time.monotonic() < deadline:
            time.sleep(_WAIT_SECONDS)
        return messages

    def delete(self, url: str, receipt_handle: str, /) -> None:
        """Delete a message by its last receipt; an older one deletes nothing."""
        name = _name_of(url)
        with self.store.writing() as connection:
            if self._properties(url).get("FifoQueue"):
                sql = f"SELECT 1 FROM messages WHERE {_RECEIVED} AND queue = ?2 AND visible <= ?3"  # noqa: S608
                if connection.execute(sql, (receipt_handle, name, self.store.clock())).fetchone():
                    raise Refused("delete a message: its receipt has expired")
            connection.execute(f"DELETE FROM messages WHERE {_RECEIVED} AND queue = ?2", (receipt_handle, name))  # noqa: S608

    def hide(self, url: str, receipt_handle: str, /, *, seconds: int) -> None:
        """Hide a message for another time."""
        self._properties(url)
        now = self.store.clock()
        with self.store.writing() as connection:
            sql = f"UPDATE messages SET visible = ?2 WHERE {_RECEIVED} AND visible > ?3"  # noqa: S608
            if not connection.execute(sql, (receipt_handle, now + seconds, now)).rowcount:
                raise Refused("defer a message: it is not in flight")

    def expire(self) -> None:
        """Delete messages that are older than their queue keeps them, and what tells repeats apart."""
        now = self.store.clock()
        with self.store.writing() as connection:
            for name in self.store.list_resources("queue"):
                kept = self._properties(name).get("MessageRetentionPeriod", _RETENTION_SECONDS)
                connection.execute("DELETE FROM messages WHERE queue = ? AND sent <= ?", (name, now - kept))
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

    def _properties(self, url: str) -> Mapping[str, Any]:
        properties = self.store.find_resource("queue", _name_of(url))
        if properties is None:
            raise Refused(f"there is no queue {url}")
        return properties

    def _take(self, url: str, most: int) -> list[ReceivedMessage]:
        name, properties, now = _name_of(url), self._properties(url), self.store.clock()
        sql = "SELECT 1 FROM messages WHERE queue = ? AND visible <= ? LIMIT 1"
        if not self.store.read(sql, name, now):  # nobody writes to look
            return []
        redrive = properties.get("RedrivePolicy")
        kept = properties.get("MessageRetentionPeriod", _RETENTION_SECONDS)
        taken: list[ReceivedMessage] = []
        with self.store.writing() as connection:
            choose = self._choose_groups if properties.get("FifoQueue") else self._choose
            for row in choose(name, now, most):
                number, group, identity, body, sent, first, receives = row
                if sent <= now - kept:
                    connection.execute("DELETE FROM messages WHERE number = ?", (number,))
                elif redrive and receives >= int(redrive["maxReceiveCount"]):
                    dead = redrive["deadLetterTargetArn"].rpartition(":")[2]
                    sql = "UPDATE messages SET queue = ?, receipt = NULL, receives = 0, visible = ? WHERE number = ?"
                    connection.execute(sql, (dead, now, number))
                else:
                    receipt = f"{number}-{uuid.uuid4()}"
                    sql = "UPDATE messages SET receipt = ?, visible = ?, receives = ?, first = ? WHERE number = ?"
                    hidden = properties.get("VisibilityTimeout", 30)
                    connection.execute(sql, (receipt, now + hidden, receives + 1, first or now, number))
                    attributes = {
                        "SentTimestamp": str(int(sent * 1000)),
                        "ApproximateReceiveCount": str(receives + 1),
                        "MessageGroupId": group,
                    }
                    shown = {name: value for name, value in attributes.items() if value}
                    taken.append(ReceivedMessage(identity, receipt, body, shown))
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
