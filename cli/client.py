"""A client of the HTTP API, and commands that use one."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

import httpx

from cli.console import AsJson, Host, PlayerKey, Receipt, Token, print_note, show
from cli.exit_codes import NOT_FINISHED, TRY_LATER, CommandError, UsageError
from cli.sites import find_admin_token, find_site
from scoring_core.errors import LaurelError
from scoring_core.io.gateway import GATEWAY_ANSWERS
from scoring_core.io.text import suggest_nearest

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


MISSING_CREDENTIALS: Final = (
    "LAUREL_TOKEN is not set: expected a token with the scope `admin`. Of a deployed stack `make deploy` wrote one "
    "into the file that it names; to the stack of `laurel local`, commands that are typed in its folder send its own"
)
SHARED_OPTIONS: Final = {
    "player_key": PlayerKey,
    "token": Token,
    "receipt": Receipt,
    "host": Host,
    "json": AsJson,
}
"""Parameter → option, in the order of the help, of commands that ask a site."""


@dataclass(frozen=True, slots=True)
class SiteClient:
    """A client of the site that a command asks, the credentials that it was given, and how it prints."""

    http: httpx.Client
    token: str | None
    receipt: str | None
    as_json: bool

    def show(self, answer: object, for_people: str | Callable[[], None]) -> None:
        """Print an answer as JSON for programs, or for people."""
        show(answer, for_people, json=self.as_json)


def asks_site(*credentials: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command the options of those that ask a site.

    They follow its own. The function gets a SiteClient as its first argument, `site`. Its own `benchmark` is what all
    requests are about.

    Args:
        credentials: Which credentials the command takes: "token", "player_key", "receipt". "owner" is a token too,
            without which the administrator's is taken on the stack of this folder; "admin" likewise, and one is needed.
    """
    operates = not {"owner", "admin"}.isdisjoint(credentials)

    def wrap(command: Callable[..., None]) -> Callable[..., None]:
        parameters = list(inspect.signature(command).parameters.values())[1:]
        for name, option in SHARED_OPTIONS.items():
            if name in {*credentials, "host", "json"} or (name == "token" and operates):
                default = False if name == "json" else None
                parameters.append(
                    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=option)
                )

        @wraps(command)
        def run(**given: Any) -> None:
            host, as_json = given.pop("host"), given.pop("json")
            player_key, receipt = given.pop("player_key", None), given.pop("receipt", None)
            token = given.pop("token", None)
            if operates:
                token = token or find_admin_token(find_site(host))
            if token is None and "admin" in credentials:
                raise UsageError(MISSING_CREDENTIALS)
            with connect(
                host, benchmark=given.get("benchmark"), token=receipt or token, player_key=player_key
            ) as client:
                command(SiteClient(client, token, receipt, as_json), **given)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return wrap


@contextmanager
def connect(
    host: str | None, *, benchmark: str | None = None, token: str | None = None, player_key: str | None = None
) -> Iterator[httpx.Client]:
    """Return a client of a site.

    Before its first request that writes, it prints which site that is.

    Args:
        host: URL of the site; None: the stack of this folder.
        benchmark: The benchmark that all requests are about; None: they are about several.
        token: A token or a receipt.
        player_key: The key of a guest's name.

    Raises:
        UsageError: A secret has characters that none has.
        ApiError: The site does not answer.
        NoStack, InvalidAddress: There is no site to ask.
        UnknownBenchmark: A path was not found because the benchmark does not exist.
    """
    site = find_site(host)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if player_key is not None:
        headers["Laurel-Player-Key"] = player_key
    if not all(text.isascii() and text.isprintable() for text in headers.values()):
        raise UsageError(
            "a token, receipt or player key: expected it as it was printed, found characters that none has"
        )
    notices = iter([f"site: {site.url} ({site.source})"])

    def announce(request: httpx.Request) -> None:
        if request.method not in {"GET", "HEAD"}:
            for notice in notices:  # there is none any more at the next request
                print_note(notice)

    hooks: dict[str, list[Callable[..., Any]]] = {"request": [announce]}
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
            question = "is the stack running (`laurel local`)?"
            advice = question if site.is_local else "check the address and your connection"
            raise ApiError(f"{site.url} ({site.source}) does not answer: {error}; {advice}") from error


def list_benchmarks(client: httpx.Client) -> list[str]:
    """List the ids of all benchmarks of a site, archived or not. Raises ApiError."""
    return [str(published["id"]) for published in get(client, "/api/benchmarks?archived=true")["benchmarks"]]


def get(
    client: httpx.Client, path: str, *, query: Mapping[str, Any] | None = None, receipt: str | None = None
) -> dict[str, Any]:
    """Return the answer to a GET, also if it leads on. Raises ApiError.

    What is None in the query is left out.
    """
    headers = {"Authorization": f"Bearer {receipt}"} if receipt else {}
    return read_answer(client.get(path, params=leave_out(query), headers=headers, follow_redirects=True), path)


def post(
    client: httpx.Client,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the answer to a POST. Raises ApiError.

    What is None in the query or the body is left out.
    """
    return read_answer(client.post(path, params=leave_out(query), json=leave_out(body), headers=headers), path)


def leave_out(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return what is given without what is None."""
    return None if given is None else {name: value for name, value in given.items() if value is not None}


def list_pages(client: httpx.Client, path: str, kind: str, query: Mapping[str, str | None]) -> Iterator[dict[str, Any]]:
    """Yield what a list of the site has under a name, page after page.

    A page is read when its first item is asked for. Raises ApiError.
    """
    asked = dict(query)
    while True:
        page = get(client, path, query=asked)
        yield from page[kind]
        if page["next"] in {None, asked.get("cursor")}:
            return
        asked["cursor"] = page["next"]


def read_answer(answer: httpx.Response, path: str) -> dict[str, Any]:
    """Return the JSON object of an answer. Raises ApiError if it is no success."""
    if not answer.is_success:
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
