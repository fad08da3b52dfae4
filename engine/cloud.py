"""The clients of one file."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.items import Streams, Tables
from engine.limits import STREAM_SECONDS
from engine.mails import Invoke, Lambda, Ses, invoke_by_socket
from engine.messages import Sqs
from engine.objects import S3
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


@dataclass(frozen=True)
class EngineClients:
    """Clients whose calls one store answers."""

    store: Store
    dynamodb: Tables
    streams: Streams
    s3: S3
    sqs: Sqs
    ses: Ses
    functions: Lambda

    def declare(self, resources: Iterable[tuple[str, str, Mapping[str, Any]]], *, sender: str) -> None:
        """Declare resources, each by its type, name and properties as CloudFormation has them, and who sends mail."""
        with self.store.writing():
            for kind, name, properties in resources:
                if kind in KINDS:
                    self.store.define(KINDS[kind], name, properties)
            self.store.define("sender", sender, {})

    def expire(self) -> None:
        """Delete what AWS would by itself: by lifecycle rules, times to live and retention."""
        self.dynamodb.expire()
        self.streams.trim(STREAM_SECONDS)
        self.sqs.expire()
        for name in self.store.list_resources("bucket"):
            rules = (self.store.find_resource("bucket", name) or {}).get("LifecycleConfiguration", {}).get("Rules", [])
            self.s3.expire(name, rules)


def make_clients(store: Store, run: Invoke | None = None) -> EngineClients:
    """Return the clients of a store."""
    sqs = Sqs(store)
    return EngineClients(store, Tables(store), Streams(store), S3(store, sqs), sqs, Ses(store), Lambda(sqs, run))


class EngineSession:
    """Makes the clients of a file in the place of a session of botocore."""

    def __init__(self, path: str) -> None:
        functions = os.environ.get(FUNCTIONS_VARIABLE)
        moment = os.environ.get(SYNC_VARIABLE, "commit")
        store = Store(Path(path), durable=moment == "commit")
        if moment != "commit":  # a worker of a stack, which does it
            store.leave_checkpoints()
        if moment == "answer":
            UNSYNCED.append(store)
        self.clients = make_clients(store, invoke_by_socket(functions) if functions else None)

    def create_client(self, service: str, **_: Any) -> Any:
        """Return the client of a service, by botocore's name of it."""
        return getattr(self.clients, {"sesv2": "ses", "lambda": "functions"}.get(service, service))

    def make_tables(self) -> Tables:
        """Return the tables."""
        return self.clients.dynamodb
