# imported by scripts beside it, and by a test
"""What AWS counts or compares before it accepts a request, apart from any emulator; `walls.py` applies it."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

MAX_INLINE_CHARACTERS: Final = 10_240
"""Of all inline policies of a role, without white space. Source: IAM User Guide, IAM and AWS STS quotas."""
TENANTS_PER_EXECUTION: Final = 2.5
"""2,500 environments of tenants for 1,000 concurrent executions. Source: Lambda Developer Guide, Tenant isolation."""
RIGHTS: Final[Mapping[str, tuple[str, ...]]] = {
    "AWS::Logs::LogGroup": (
        "logs:CreateLogGroup",
        "logs:GetDataProtectionPolicy",
        "logs:ListTagsForResource",
        "logs:ListTagsLogGroup",
        "logs:PutRetentionPolicy",
        "logs:TagLogGroup",
        "logs:TagResource",
    ),
    "AWS::DynamoDB::Table": ("dynamodb:CreateTable", "dynamodb:DescribeTable", "dynamodb:UpdateContinuousBackups"),
    "AWS::SQS::Queue": ("sqs:CreateQueue", "sqs:GetQueueAttributes", "sqs:TagQueue"),
}
"""Type of a resource → what its handlers ask of the caller. Source: `handlers` of the resource schemas."""


def find_dropped_encryption(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return why CloudFormation rejects an update of a table; None if it does not.

    Sources: https://github.com/aws/aws-cdk/issues/8286, https://github.com/aws/aws-cdk/pull/8450.
    """
    if "SSESpecification" in before and "SSESpecification" not in after:
        return "SSESpecification cannot be removed from a table: set SSEEnabled to false instead."
    return None


def find_long_policies(policies: Iterable[Mapping[str, Any]]) -> str | None:
    """Return why IAM rejects the inline policies of a role; None if it does not."""
    documents = (json.dumps(policy["PolicyDocument"], separators=(",", ":")) for policy in policies)
    characters = sum(map(len, documents))
    if characters > MAX_INLINE_CHARACTERS:
        return f"Maximum policy size of {MAX_INLINE_CHARACTERS} bytes exceeded: the inline policies have {characters}."
    return None


def find_missing_rights(resource_type: str, policies: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what the handlers of a type ask for and these policies lack."""
    allowed = [
        pattern
        for policy in policies
        for statement in policy["Statement"]
        if statement["Effect"] == "Allow"
        for pattern in ([statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"])
    ]
    needed = RIGHTS.get(resource_type, ())
    return [right for right in needed if not any(fnmatchcase(right, pattern) for pattern in allowed)]


class Rate:
    """Requests a second that an API accepts, and how many more at once: a bucket of tokens.

    Source: API Gateway Developer Guide, Throttle requests to your HTTP APIs.
    """

    def __init__(self, rate: float, burst: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._tokens, self._filled_at = burst, clock()
        self._lock = threading.Lock()

    def accept(self) -> bool:
        """Return whether a request is accepted now; otherwise it gets a 429."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._rate)
            self._filled_at = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True


class Every:
    """Strikes once in so many calls.

    S3 answers a conditional write that meets another one with 409 ConditionalRequestConflict, and asks for a retry.
    Source: S3 API Reference, PutObject.
    """

    def __init__(self, calls: int) -> None:
        self._calls, self._count = calls, 0
        self._lock = threading.Lock()

    def strikes(self) -> bool:
        """Count a call, and return whether it is hit."""
        with self._lock:
            self._count += 1
            return self._count % self._calls == 0


class Tenants:
    """The execution environments of tenants, of which an account has so many, idle ones included."""

    def __init__(self, executions: int) -> None:
        self.most = int(executions * TENANTS_PER_EXECUTION)
        self._tenants: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def admit(self, function: str, tenant: str) -> bool:
        """Return whether a tenant has an environment, or there is room for its first."""
        with self._lock:
            if (function, tenant) not in self._tenants and len(self._tenants) >= self.most:
                return False
            self._tenants.add((function, tenant))
            return True
