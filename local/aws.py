"""What AWS does, on this machine: the engine's file, in which the template's resources are declared."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from engine.cloud import Engine, make_engine
from engine.mails import INVOCATIONS
from engine.store import Store
from local.template import Template
from storage.gateway.bucket import Objects
from storage.gateway.queue import Messages
from storage.gateway.table import Tables

LOCALHOST: Final = "127.0.0.1"
_INVOCATION_SECONDS: Final = 900
"""The longest invocation of a function."""


class Streams(Protocol):
    """Where the streams of tables are."""

    def read(self, table: str, /, *, after: str | None, length: int) -> list[dict[str, Any]]:
        """Read up to so many records after a number, as Lambda passes them on."""


@dataclass(frozen=True)
class Cloud:
    """What the stack and its pollers read and write, of the engine or of AWS."""

    objects: Objects
    messages: Messages
    tables: Tables
    streams: Streams


def declare_resources(store: Store, template: Template, *, sender: str) -> Engine:
    """Declare what the template has, and the queue of asynchronous invocations.

    Args:
        store: Where they are declared.
        template: Its queues, tables and buckets.
        sender: The address that may send mail.

    Returns:
        What the store answers.
    """
    engine = make_engine(store)
    declared = [(resource.type, resource.name, resource.properties) for resource in template.resources.values()]
    invocations = ("AWS::SQS::Queue", INVOCATIONS, {"VisibilityTimeout": _INVOCATION_SECONDS})
    engine.declare([*declared, invocations], sender=sender)
    return engine


def as_cloud(engine: Engine) -> Cloud:
    """Return what pollers need."""
    return Cloud(engine.objects, engine.messages, engine.tables, engine.streams)
