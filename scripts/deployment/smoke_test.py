"""Asks a deployed stack for what must be there: the API, a board, the site and its headers."""  # noqa: INP001 — scripts are no package

import re
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

import httpx

from local.site.files import HASHED_CACHE
from local.site.headers import SiteHeaders

# In the cloud the policy also lets the results bucket in, whose name only the stack knows.
_VARYING: Final = frozenset({"Content-Security-Policy"})
# CloudFront adds CORS headers only to what answers another origin's page. Source: AWS, ResponseHeadersPolicyCorsConfig.
_ASKED: Final = {"Origin": "https://another.example"}
_ASSET: Final = re.compile(r'"(/assets/[^"]+\.js)"')


class SmokeTestFailed(Exception):
    """A deployed stack does not answer as it must; the message says what was expected and what was found."""


class _Check(NamedTuple):
    """One question: where, and what the answer must be."""

    url: str
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = {}


def run_smoke_test(
    client: httpx.Client,
    *,
    site: str,
    api: str,
    benchmarks: list[str],
    headers: SiteHeaders,
    patience_seconds: float = 120,
    sleep: Callable[[float], None] = time.sleep,
) -> list[str]:
    """Ask for everything once; what is not right yet is asked for again while patience lasts.

    Args:
        client: Follows no redirects.
        site: The site's address, without a slash at its end.
        api: The API's own address, which must refuse whoever does not come through the site's.
        benchmarks: Ids whose boards must be there.
        headers: What each answer must have.
        patience_seconds: A first deployment takes a while to be known everywhere.
        sleep: Waits.

    Returns:
        The addresses that answered as they must.

    Raises:
        SmokeTestFailed: One did not.
    """
    checks = [
        _Check(f"{site}/", headers={**headers.find("/"), "Cache-Control": "no-cache"}),
        _Check(f"{site}/api/docs", headers=headers.find("/api/docs")),
        _Check(f"{site}/api/health", headers={**headers.find("/api/health"), "Cache-Control": "no-store"}),
        *(
            _Check(f"{site}{path}", headers=headers.find(path))
            for path in ("/data/index.json", *(f"/data/b/{one}/head.json" for one in benchmarks))
        ),
        _Check(f"{api}/api/health", status=HTTPStatus.FORBIDDEN),
    ]
    ends_at = time.monotonic() + patience_seconds
    for check in checks:
        _ask(client, check, ends_at=ends_at, sleep=sleep)
    asset = _ASSET.search(client.get(f"{site}/").text)
    if asset is None:
        raise SmokeTestFailed(f"{site}/: expected a page that loads a script of /assets/, found none")
    checks.append(_Check(f"{site}{asset[1]}", headers={"Cache-Control": HASHED_CACHE}))
    _ask(client, checks[-1], ends_at=ends_at, sleep=sleep)
    return [one.url for one in checks]


def _ask(client: httpx.Client, check: _Check, *, ends_at: float, sleep: Callable[[float], None]) -> None:
    while (fault := _find_fault(client, check)) is not None:
        if time.monotonic() >= ends_at:
            raise SmokeTestFailed(f"{check.url}: {fault}")
        sleep(2)


def _find_fault(client: httpx.Client, check: _Check) -> str | None:
    """Tell what is wrong with an answer; None where nothing is."""
    try:
        answer = client.get(check.url, headers=_ASKED)
    except httpx.TransportError as error:
        return f"expected an answer, found {error!r}"
    if answer.status_code != check.status:
        return f"expected {check.status.value}, found {answer.status_code}"
    for name, value in check.headers.items():
        found = answer.headers.get(name)
        if found is None or (name not in _VARYING and found != value):
            return f"{name}: expected {value!r}, found {found!r}"
    return None
