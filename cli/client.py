"""A client of the HTTP API."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx

from cli.console import print_note
from cli.exit_codes import NOT_FINISHED, TRY_LATER, CommandError
from cli.sites import SiteChoice, find_site
from scoring_core.errors import LaurelError
from scoring_core.io.suggestions import suggest_nearest
from submit.gateway import GATEWAY_ANSWERS

TRANSIENT = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
"""Status of an answer to a request that may be sent later as it is."""


class ApiError(CommandError):
    """The site does not answer, or not as it should."""


class TryLater(ApiError):
    """A quota is used up, or the site is busy or at fault."""

    exit_code = TRY_LATER


class NotFinished(ApiError):
    """What was asked for goes on after the command."""

    exit_code = NOT_FINISHED


class PathNotFound(ApiError):
    """A path of the site does not exist, or may not be read."""


class UnknownBenchmark(LaurelError):
    """No benchmark has this id."""

    def __init__(self, benchmark: str, ids: Iterable[str]) -> None:
        names = sorted(ids)
        hint = suggest_nearest(benchmark, names) if names else "none is published"
        super().__init__(f"there is no benchmark {benchmark!r}; {hint}")


@contextmanager
def connect(host: str | None, *, benchmark: str | None = None, token: str | None = None) -> Iterator[httpx.Client]:
    """Return a client of a site.

    Before its first request that writes, it prints which site that is.

    Args:
        host: URL of the site; None: the stack of this folder, or the remembered one.
        benchmark: The benchmark that all requests are about; None: they are about several.
        token: A token or a receipt.

    Raises:
        ApiError: The site does not answer.
        NoStack, InvalidAddress: There is no site to ask.
        UnknownBenchmark: A path was not found because the benchmark does not exist.
    """
    site = find_site(host)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    hooks: dict[str, list[Callable[..., Any]]] = {"request": [WriteNotice(site)]}
    is_encrypted = site.url.startswith("https:")  # without it no certificates need to be loaded
    with httpx.Client(base_url=site.url, timeout=30, headers=headers, event_hooks=hooks, verify=is_encrypted) as client:
        try:
            try:
                yield client
            except PathNotFound as error:
                if benchmark is None:
                    raise
                ids = list_benchmarks(client)
                if benchmark not in ids:
                    raise UnknownBenchmark(benchmark, ids) from error
                raise
        except httpx.TransportError as error:
            raise ApiError(f"{site.url} ({site.source}) does not answer: {error}; {_advise(site)}") from error


@dataclass(slots=True)
class WriteNotice:
    """Prints, before the first request that writes, which site it goes to."""

    site: SiteChoice
    is_printed: bool = False

    def __call__(self, request: httpx.Request) -> None:
        """Look at a request that is about to be sent."""
        if not self.is_printed and request.method not in {"GET", "HEAD"}:
            self.is_printed = True
            print_note(f"site: {self.site.url} ({self.site.source})")


def list_benchmarks(client: httpx.Client) -> list[str]:
    """List the ids of all benchmarks of a site, archived or not. Raises ApiError."""
    return [str(published["id"]) for published in get(client, "/api/benchmarks?archived=true")["benchmarks"]]


def get(client: httpx.Client, path: str, *, receipt: str | None = None) -> dict[str, Any]:
    """Return the site's answer to a GET. Raises ApiError."""
    headers = {"Authorization": f"Bearer {receipt}"} if receipt else {}
    return read_answer(client.get(path, headers=headers), path)


def list_pages(client: httpx.Client, path: str, kind: str, query: Mapping[str, str | None]) -> Iterator[dict[str, Any]]:
    """Yield what a list of the site has under a name, page after page.

    A page is read when its first item is asked for. Raises ApiError.
    """
    asked = {name: value for name, value in query.items() if value}
    while True:
        page = read_answer(client.get(path, params=asked), path)
        yield from page[kind]
        if page["next"] in {None, asked.get("cursor")}:
            return
        asked["cursor"] = page["next"]


def read_answer(answer: httpx.Response, path: str, *, expected: HTTPStatus = HTTPStatus.OK) -> dict[str, Any]:
    """Return the JSON object of an answer. Raises ApiError if the status is another."""
    if answer.status_code != expected:
        raise make_error(answer, path)
    try:
        body = answer.json()
    except (ValueError, RecursionError) as error:
        raise ApiError(f"{path}: expected JSON, found something else: is this Laurel?") from error
    if not isinstance(body, dict):
        raise ApiError(f"{path}: expected an object, found other JSON: is this Laurel?")
    return body


def make_error(answer: httpx.Response, path: str) -> ApiError:
    """Return the error of a rejected request."""
    detail = f"{path}: {read_problem(answer)['detail']}"
    if answer.status_code in TRANSIENT:
        return TryLater(detail)
    return PathNotFound(detail) if answer.status_code == HTTPStatus.NOT_FOUND else ApiError(detail)


def read_problem(answer: httpx.Response) -> dict[str, Any]:
    """Return why the API rejected a request."""
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        problem: dict[str, Any] = answer.json()
        return problem
    detail = f"{answer.status_code} {answer.reason_phrase}"
    given = GATEWAY_ANSWERS.get(answer.status_code)
    return {"status": answer.status_code, "detail": f"{detail}: {given.cause}; {given.advice}" if given else detail}


def _advise(site: SiteChoice) -> str:
    if site.is_local:
        return "is the stack running (`laurel local`)?"
    return "check the address and your connection"
