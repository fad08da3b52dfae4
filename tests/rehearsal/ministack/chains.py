# imported by scripts beside it, and by the simulation of the tests
"""Counts how often a chain of requests invokes a function, as Lambda's recursion detection does.

"If your function is invoked approximately 16 times in the same chain of requests, then Lambda automatically stops the
next function invocation", unless the function's `RecursiveLoop` is `Allow`. What a function sends while it runs carries
the chain on: messages, objects that S3 notices, and invocations. Streams and schedules begin a new chain.
Source: AWS Lambda Developer Guide, Use Lambda recursive loop detection to prevent infinite loops.
"""

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote_plus

MAX_INVOCATIONS: Final = 16


class RecursionStopped(Exception):
    """Lambda does not invoke a function that its chain of requests has invoked too often."""


@dataclass
class Chains:
    """The chains of requests of an account.

    AWS does not say which of several messages' chains a batch continues. Here it is the longest: the worst case.
    """

    _counts: dict[str, Counter[str]] = field(default_factory=dict)
    """What was sent, or an invocation's id → how often the chain behind it invoked each function."""
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def invoke(self, function: str, causes: Iterable[str], *, may_recur: bool) -> str:
        """Count an invocation, and return its id.

        Args:
            function: The function.
            causes: What started the invocation; see `list_causes`.
            may_recur: Whether the function's own `RecursiveLoop` is `Allow`.

        Raises:
            RecursionStopped: It would be the 17th of the function in its chain.
        """
        counts: Counter[str] = Counter()
        for cause in causes:
            counts |= self._counts.get(cause, Counter())
        if counts[function] >= MAX_INVOCATIONS and not may_recur:
            raise RecursionStopped(f"Lambda stopped {function}: a chain of requests invoked it {MAX_INVOCATIONS} times")
        invocation = f"invocation-{next(self._numbers)}"
        self._counts[invocation] = counts + Counter([function])
        return invocation

    def carry(self, invocation: str, sent: str) -> None:
        """Note that an invocation sent a message, wrote an object or invoked a function."""
        if invocation in self._counts:
            self._counts[sent] = self._counts[invocation]


def list_causes(event: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of an event's messages, and the keys of their objects."""
    for record in event.get("Records", ()):
        if record.get("eventSource") != "aws:sqs":
            continue
        yield record["messageId"]
        try:
            notices = json.loads(record["body"]).get("Records", ())
        except (ValueError, AttributeError):  # a message that is no notice
            continue
        for notice in notices:
            if key := notice.get("s3", {}).get("object", {}).get("key"):
                yield unquote_plus(key)
