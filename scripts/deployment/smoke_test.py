"""Asks what a deployed stack must have: API, boards, site and its headers, rates, a sandbox that runs, uploads."""  # noqa: INP001 — scripts are no package

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from uuid import uuid4

import httpx

from local.site.files import HASHED_CACHE
from local.site.headers import SiteHeaders
from storage.boards.snapshots import HEAD_CACHE

# In the cloud the policy also names the results bucket, whose name only the stack knows.
_VARYING: Final = frozenset({"Content-Security-Policy"})
# CloudFront adds CORS headers only for a page of another origin. Source: AWS, ResponseHeadersPolicyCorsConfig.
_REQUEST_HEADERS: Final = {"Origin": "https://another.example"}
_NO_BOARD: Final = "/data/b/none/boards/none/head.json"
_SHELL: Final = "/about"
"""A page that is drawn by the app alone; the start page is served with its rows, and its scripts have stable names."""
_ASSET: Final = re.compile(r'"(/assets/[^"]+\.js)"')
OTHERS: Final = ("GET /api/{proxy+}", "HEAD /api/{proxy+}", "POST /api/{proxy+}")
"""The routes that take no results, and have a rate of their own."""
NOTHING: Final = b"\n"
"""A file of JSON lines without a line that counts: it is stored and read, and nothing of it becomes a submission."""
TENANT: Final = "self-test"
"""The beginning of the tenant's name. Each test has a microVM of its own: one that is spent answers no second test."""


class SmokeTestFailed(Exception):
    """A deployed stack answers wrongly; the message says what was expected and found."""


class _Check(NamedTuple):
    """A request and its expected answer."""

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
    """Request everything once, and repeat wrong answers while patience lasts.

    Args:
        client: Follows no redirects.
        site: The site's address, without a slash at its end.
        api: The API's own address, which must reject requests that do not come through the site.
        benchmarks: Ids whose boards must exist.
        headers: The expected headers of each answer.
        patience_seconds: A first deployment takes a while to reach every edge.
        sleep: Waits.

    Returns:
        The addresses that answered correctly.

    Raises:
        SmokeTestFailed: One did not.
    """
    checks = [
        _Check(f"{site}/", headers={**headers.find("/"), "Cache-Control": HEAD_CACHE}),
        _Check(f"{site}{_SHELL}", headers={**headers.find(_SHELL), "Cache-Control": "no-cache"}),
        _Check(f"{site}/api/docs", headers=headers.find("/api/docs")),
        _Check(f"{site}/api/health", headers={**headers.find("/api/health"), "Cache-Control": "no-store"}),
        *(
            _Check(f"{site}{path}", headers=headers.find(path))
            for path in ("/data/index.json", *(f"/data/b/{benchmark}/head.json" for benchmark in benchmarks))
        ),
        # The API answers where there is no file; S3's answer would not say that nothing may keep it.
        _Check(f"{site}{_NO_BOARD}", status=HTTPStatus.NOT_FOUND, headers={"Cache-Control": "no-store"}),
        _Check(f"{site}/b/none", status=HTTPStatus.NOT_FOUND, headers={"Cache-Control": "no-store"}),
        *(_Check(f"{site}{path}", headers=headers.find(path)) for path in ("/sdk/laurel.js", "/embed/b/none")),
        _Check(f"{api}/api/health", status=HTTPStatus.FORBIDDEN),
    ]
    ends_at = time.monotonic() + patience_seconds
    for check in checks:
        _ask(client, check, ends_at=ends_at, sleep=sleep)
    asset = _ASSET.search(client.get(f"{site}{_SHELL}").text)
    if asset is None:
        raise SmokeTestFailed(f"{site}{_SHELL}: expected a page that loads a script of /assets/, found none")
    checks.append(_Check(f"{site}{asset[1]}", headers={"Cache-Control": HASHED_CACHE}))
    _ask(client, checks[-1], ends_at=ends_at, sleep=sleep)
    return [check.url for check in checks]


def check_stage(gateway: Any, api: str, parameters: Mapping[str, str]) -> None:
    """Compare the stage of the API with the parameters of the stack.

    No document says that API Gateway takes the rates as the template has them.

    Args:
        gateway: A client of `apigatewayv2`.
        api: The API's id.
        parameters: Of the stack, as it is deployed.

    Raises:
        SmokeTestFailed: A rate is missing, or another one.
    """
    stage = gateway.get_stage(ApiId=api, StageName="$default")
    reads = (parameters["ReadRate"], parameters["ReadRate"])
    expected = {"every other route": (parameters["ApiRate"], parameters["ApiBurst"]), **dict.fromkeys(OTHERS, reads)}
    settings = {"every other route": stage.get("DefaultRouteSettings", {}), **stage.get("RouteSettings", {})}
    for route in expected.keys() | settings.keys():
        actual = tuple(settings.get(route, {}).get(f"Throttling{limit}Limit") for limit in ("Rate", "Burst"))
        wanted = tuple(float(number) for number in expected.get(route, ()))
        if tuple(number and float(number) for number in actual) != wanted:
            raise SmokeTestFailed(
                f"{route}: expected {wanted or 'no rates'} as rate and burst, API Gateway has {actual}; see "
                "RouteSettings in template.yaml, then deploy again"
            )


def check_sandbox(lambda_: Any, function: str) -> list[str]:
    """Invoke the self-test of the sandbox function, as no call tells what holds.

    Args:
        lambda_: A client of Lambda.
        function: The function's name.

    Returns:
        Which protections are missing, in sentences. `docs/sandbox.md` says what follows.

    Raises:
        SmokeTestFailed: No evaluation script can run.
    """
    response = lambda_.invoke(
        FunctionName=function, TenantId=f"{TENANT}-{uuid4().hex[:8]}", Payload=json.dumps({"self_test": True})
    )
    answer = json.loads(response["Payload"].read())
    test = answer.get("self_test") if isinstance(answer, dict) else None
    if "FunctionError" in response or not test or "protections" not in test["run"]:
        raise SmokeTestFailed(f"{function}: expected a script to run, found {json.dumps(answer)[:1000]}")
    own = {"closed": test["closed"], **{f"zygote {name}": is_set for name, is_set in test["zygote"].items()}}
    missing = [name for name, holds in {**own, **test["run"]["protections"]}.items() if not holds]
    return [
        f"a script runs on Linux {test['kernel']}, below process {test['process']}",
        f"missing protections: {', '.join(missing) or 'none'}",
    ]


def check_upload(
    client: httpx.Client, *, site: str, token: str, benchmarks: Sequence[str], endpoint: str | None = None
) -> str:
    """Upload a file to the first open benchmark, as a page does.

    Args:
        client: Follows no redirects.
        site: The site's address, without a slash at its end.
        token: May submit to the benchmarks.
        benchmarks: Their ids.
        endpoint: Where an emulator of S3 answers instead of the bucket's own host.

    Returns:
        Where the file went.

    Raises:
        SmokeTestFailed: A browser could not have done this, because the page's policy or the bucket forbids it.
    """
    ticket = _ask_for_ticket(client, site, token, benchmarks)
    url = httpx.URL(ticket["url"])
    policy = client.get(f"{site}/").headers.get("Content-Security-Policy", "")
    rules = (part.split() for part in policy.split(";"))
    allowed = {source for rule in rules if rule[:1] == ["connect-src"] for source in rule}
    if f"https://{url.host}" not in allowed and not (endpoint and str(url).startswith(endpoint)):
        raise SmokeTestFailed(f"{site}/: its policy allows requests to {sorted(allowed)}, uploads go to {url}")
    preflight = client.options(url, headers={"Origin": site, "Access-Control-Request-Method": "POST"})
    if preflight.headers.get("Access-Control-Allow-Origin") not in {"*", site}:
        raise SmokeTestFailed(f"{url}: pages may not upload there, the preflight gave {preflight.status_code}")
    answer = client.post(url, data=ticket["fields"], files={"file": NOTHING})
    if not answer.is_success:
        raise SmokeTestFailed(f"{url}: expected a success, found {answer.status_code}: {answer.text[:300]}")
    return str(url)


def _ask(client: httpx.Client, check: _Check, *, ends_at: float, sleep: Callable[[float], None]) -> None:
    while (fault := _find_fault(client, check)) is not None:
        if time.monotonic() >= ends_at:
            raise SmokeTestFailed(f"{check.url}: {fault}")
        sleep(2)


def _find_fault(client: httpx.Client, check: _Check) -> str | None:
    """Return what is wrong with an answer; None if nothing is."""
    try:
        answer = client.get(check.url, headers=_REQUEST_HEADERS)
    except httpx.TransportError as error:
        return f"expected an answer, found {error!r}"
    if answer.status_code != check.status:
        return f"expected {check.status.value}, found {answer.status_code}"
    for name, value in check.headers.items():
        actual = answer.headers.get(name)
        if actual is None or (name not in _VARYING and actual != value):
            return f"{name}: expected {value!r}, found {actual!r}"
    return None


def _ask_for_ticket(client: httpx.Client, site: str, token: str, benchmarks: Sequence[str]) -> dict[str, Any]:
    refusals = []
    for benchmark in benchmarks:
        answer = client.post(
            f"{site}/api/benchmarks/{benchmark}/uploads",
            json={"bytes": len(NOTHING), "filename": "smoke-test.jsonl"},
            headers={"Authorization": f"Bearer {token}"},
        )
        if answer.status_code == HTTPStatus.CREATED and "json" in answer.headers.get("content-type", ""):
            ticket: dict[str, Any] = answer.json()
            return ticket
        refusals.append(f"{benchmark}: {answer.status_code} {answer.text[:200]}")
    raise SmokeTestFailed(f"{site}: no benchmark takes an upload: {'; '.join(refusals)}")
