"""Uploads a file to a deployed stack as a page does: the page's policy and the bucket's rules must allow it."""  # noqa: INP001 — scripts are no package

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

import httpx

from scripts.deployment.smoke_test import SmokeTestFailed

NOTHING: Final = b"\n"
"""A file of JSON lines without a line that counts: it is stored and read, and nothing of it becomes a submission."""


def check_upload(
    client: httpx.Client, *, site: str, token: str, benchmarks: Sequence[str], endpoint: str | None = None
) -> str:
    """Upload a file to the first open benchmark.

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
