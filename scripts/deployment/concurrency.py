"""Divides the executions that an account may run at once among the queues and the API."""  # noqa: INP001 — scripts are no package

from typing import Final

NEW_ACCOUNT: Final = 10
"""Executions that many new accounts may run at once."""
UNRESERVED: Final = 100
"""Executions that Lambda wants to stay unreserved."""
_MINIMUM: Final = 2
"""The least that SQS accepts."""


def plan_concurrency(executions: int) -> dict[str, str]:
    """Return the template's parameters for an account.

    A script occupies two executions while it runs, because a function waits for the sandbox. Scoring and batches get
    little more than half of the account, and each function that waits can have its sandbox. Below 24 executions SQS's
    minimum is more: of 10, scoring may take 8 and batches 2. What gets no sandbox gives its place up.

    The API gets half of the requests a second that Lambda accepts, three for results to two for reads, and no more than
    a bill of some ten dollars an hour: an owner who wants more names it.

    Args:
        executions: How many the account may run at once in this region, without what others have reserved.
    """
    share, script = _bound(executions // 12, 20), _bound(executions // 6, 20)
    return {
        "EvaluateConcurrency": str(_bound(executions // 12, 10)),
        "ShareConcurrency": str(share),
        "ScriptConcurrency": str(script),
        "BenchmarkConcurrency": str(min(5, share // 2)),
        "SandboxConcurrency": str(script if executions - script >= UNRESERVED else 0),
        "BoardConcurrency": str(min(10, max(1, executions // 24))),
        "DropConcurrency": str(_bound(executions // 24, 5)),
        "ApiRate": str(min(3 * executions, 200)),
        "ApiBurst": str(min(6 * executions, 400)),
        "ReadRate": str(min(2 * executions, 100)),
    }


def _bound(value: int, most: int) -> int:
    return max(_MINIMUM, min(value, most))
