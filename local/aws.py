"""What AWS does, on this machine: the engine's file, in which the template's resources are declared."""

from typing import Final

from engine.cloud import Engine, make_engine
from engine.mails import INVOCATIONS
from engine.store import Store
from local.template import Template

LOCALHOST: Final = "127.0.0.1"
_INVOCATION_SECONDS: Final = 900
"""The longest invocation of a function."""


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
