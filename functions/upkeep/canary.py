"""Tries whether results are accepted, the whole way that a player's request takes: the canary of the schedule."""

import json
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException
from typing import Final, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

PATH: Final = "/api/benchmarks/no-such-benchmark-canary/submissions"
PROBLEM: Final = "urn:laurel:problem:"
"""How the types of `submit` begin: not found, usually; the edge has none."""
WRONG_HOST: Final = f"{PROBLEM}not-this-host"
TRIES: Final = 5
PAUSE_SECONDS: Final = 30
_TIMEOUT_SECONDS: Final = 30
_MAX_BYTES: Final = 65_536


class CanaryAnswer(NamedTuple):
    """The status of an answer, and its first bytes."""

    status: int
    body: bytes


type Post = Callable[[str], CanaryAnswer]


class NobodyCanSubmit(Exception):
    """No try was answered by `submit`."""


def check_site(site_url: str, post: Post, sleep: Callable[[float], None]) -> None:
    """Post a result to the site, for two minutes at most; without a site do nothing.

    The result is no JSON, and its benchmark does not exist, so nothing is stored. The answer needs the site's name
    and certificate, CloudFront, API Gateway, the origin secret, `submit` and its bucket. What breaks behind them makes
    a 5xx, which has an alarm of its own. Raises NobodyCanSubmit, with the last answer.
    """
    if not site_url:
        return
    url, last = site_url + PATH, ""
    for number in range(TRIES):
        if number:
            sleep(PAUSE_SECONDS)
        try:
            answer = post(url)
        except OSError as error:
            last = f"no answer: {error}"
            continue
        if _comes_from_submit(answer):
            return
        last = f"{answer.status} {answer.body[:200]!r}"
    raise NobodyCanSubmit(f"POST {url}: expected a problem of submit, found {last}")


def post_result(url: str) -> CanaryAnswer:
    """Post what is no result. Raises OSError."""
    request = Request(url, data=b"-", headers={"Content-Type": "application/json"}, method="POST")  # noqa: S310  # https
    try:
        with urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310
            return CanaryAnswer(answer.status, answer.read(_MAX_BYTES))
    except HTTPError as error:
        with error:
            return CanaryAnswer(error.code, error.read(_MAX_BYTES))
    except HTTPException as error:  # cut off, or no HTTP: no OSError to Python
        raise OSError(f"{type(error).__name__}: {error}") from error


def _comes_from_submit(answer: CanaryAnswer) -> bool:
    """Return whether `submit` answered, and could have accepted a result."""
    try:
        problem = json.loads(answer.body)
    except ValueError:
        return False
    kind = problem.get("type") if isinstance(problem, dict) else None
    is_problem = isinstance(kind, str) and kind.startswith(PROBLEM) and kind != WRONG_HOST
    return is_problem and answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
