"""The `Prefer` header (RFC 7240): how long a caller would wait for the outcome."""

import re

MAX_WAIT_SECONDS = 10
_WAIT = re.compile(r'\s*wait\s*=\s*"?(\d{1,9})"?\s*(;.*)?', re.IGNORECASE)


def read_wait(prefer: str) -> int:
    """Give the seconds of `wait`, at most 10; 0 where it is not preferred, or not in this form.

    Of several the first counts, as RFC 7240 has it; what cannot be read is ignored, because a preference is no order.

    >>> read_wait("respond-async, wait=5"), read_wait("wait=600"), read_wait("wait=soon")
    (5, 10, 0)
    """
    for one in prefer.split(","):
        match = _WAIT.fullmatch(one)
        if match is not None:
            return min(int(match[1]), MAX_WAIT_SECONDS)
    return 0
