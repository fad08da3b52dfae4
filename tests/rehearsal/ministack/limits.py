# imported by a script beside it
"""What AWS counts or compares before it accepts a request, apart from any emulator; `walls.py` applies it."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

TENANTS_PER_EXECUTION: Final = 2.5
"""2,500 environments of tenants for 1,000 concurrent executions. Source: Lambda Developer Guide, Tenant isolation."""


def find_dropped_encryption(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return why CloudFormation rejects an update of a table; None if it does not.

    Sources: https://github.com/aws/aws-cdk/issues/8286, https://github.com/aws/aws-cdk/pull/8450.
    """
    if "SSESpecification" in before and "SSESpecification" not in after:
        return "SSESpecification cannot be removed from a table: set SSEEnabled to false instead."
    return None


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
