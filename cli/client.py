"""A client of the HTTP API."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import httpx

from cli.stack import UnknownBenchmark, find_url
from scoring_core.errors import LaurelError
from submit.gateway import GATEWAY_ANSWERS


class ApiError(LaurelError):
    """The site does not answer, or not as it should."""


class PathNotFound(ApiError):
    """A path of the site does not exist, or may not be read."""


@contextmanager
def connect(host: str | None, *, benchmark: str, token: str | None = None) -> Iterator[httpx.Client]:
    """Return a client of a site.

    Args:
        host: URL of the site; None: the stack on this machine.
        benchmark: The benchmark that all requests are about.
        token: A token or a receipt.

    Raises:
        ApiError: The site does not answer.
        UnknownBenchmark: A path was not found because the benchmark does not exist.
    """
    url = host or find_url()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with httpx.Client(base_url=url, timeout=30, headers=headers) as client:
        try:
            try:
                yield client
            except PathNotFound as error:
                ids = [published["id"] for published in get(client, "/api/benchmarks")["benchmarks"]]
                if benchmark not in ids:
                    raise UnknownBenchmark(benchmark, ids) from error
                raise
        except httpx.TransportError as error:
            raise ApiError(f"{url} does not answer: {error}; is the stack running (`make run`)?") from error


def get(client: httpx.Client, path: str, *, receipt: str | None = None) -> dict[str, Any]:
    """Return the site's answer to a GET. Raises ApiError."""
    headers = {"Authorization": f"Bearer {receipt}"} if receipt else {}
    return read_answer(client.get(path, headers=headers), path)


def read_answer(answer: httpx.Response, path: str) -> dict[str, Any]:
    """Return the JSON object of an answer. Raises ApiError unless the status is 200."""
    if answer.status_code != HTTPStatus.OK:
        kind = PathNotFound if answer.status_code == HTTPStatus.NOT_FOUND else ApiError
        raise kind(f"{path}: {read_problem(answer)['detail']}")
    try:
        body = answer.json()
    except (ValueError, RecursionError) as error:
        raise ApiError(f"{path}: expected JSON, found something else: is this Laurel?") from error
    if not isinstance(body, dict):
        raise ApiError(f"{path}: expected an object, found other JSON: is this Laurel?")
    return body


def read_problem(answer: httpx.Response) -> dict[str, Any]:
    """Return why the API rejected a request."""
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        problem: dict[str, Any] = answer.json()
        return problem
    detail = f"{answer.status_code} {answer.reason_phrase}"
    given = GATEWAY_ANSWERS.get(answer.status_code)
    return {"status": answer.status_code, "detail": f"{detail}: {given.cause}; {given.advice}" if given else detail}
