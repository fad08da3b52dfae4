"""The services of one file."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from engine.items import Streams, Tables
from engine.limits import STREAM_SECONDS
from engine.mails import Functions, Mails, Run, run_by_socket
from engine.messages import Messages
from engine.objects import Objects
from engine.store import Store

FUNCTIONS_VARIABLE: Final = "LAUREL_FUNCTIONS"
"""Names the socket of the process that runs functions."""
SYNC_VARIABLE: Final = "LAUREL_SYNC"
"""When a process waits for the disk: at each `commit`, before each `answer`, or `never`, if its work is done again."""
UNSYNCED: Final[list[Store]] = []
"""The store of a process that waits for the disk before it answers."""
KINDS: Final = {
    "AWS::DynamoDB::Table": "table",
    "AWS::SQS::Queue": "queue",
    "AWS::S3::Bucket": "bucket",
}
"""CloudFormation's types → those of the engine."""


class Engine:
    """What one store answers, by the gateway's protocols, and the streams of its tables."""

    def __init__(self, store: Store, run: Run | None = None) -> None:
        self.store, self.tables, self.streams = store, Tables(store), Streams(store)
        self.messages, self.mails = Messages(store), Mails(store)
        self.objects, self.functions = Objects(store, self.messages), Functions(self.messages, run)

    def declare(self, resources: Iterable[tuple[str, str, Mapping[str, Any]]], *, sender: str) -> None:
        """Declare resources, each by its type, name and properties as CloudFormation has them, and who sends mail."""
        with self.store.writing():
            for kind, name, properties in resources:
                if kind in KINDS:
                    self.store.define(KINDS[kind], name, properties)
            self.store.define("sender", sender, {})

    def expire(self) -> None:
        """Delete what AWS would by itself: by lifecycle rules, times to live and retention."""
        self.tables.expire()
        self.streams.trim(STREAM_SECONDS)
        self.messages.expire()
        self.objects.expire()


def open_engine(path: str) -> Engine:
    """Open the file of the engine for a process of a function."""
    socket = os.environ.get(FUNCTIONS_VARIABLE)
    moment = os.environ.get(SYNC_VARIABLE, "commit")
    store = Store(Path(path), durable=moment == "commit")
    if moment != "commit":  # a worker of a stack, which does it
        store.leave_checkpoints()
    if moment == "answer":
        UNSYNCED.append(store)
    return Engine(store, run_by_socket(socket) if socket else None)
