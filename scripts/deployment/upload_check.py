"""Uploads a file as the site's page does, and checks that the page's policy and the bucket's CORS rules allow it."""  # noqa: INP001 — scripts are no package

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

import httpx

from scripts.deployment.smoke_test import SmokeTestFailed

NOTHING: Final = b"\n"
"""A file of JSON lines without a line that counts: it is stored and read, and nothing of it becomes a submission."""


def check_upload(
    client: httpx.Client, *, site: str, token: str, benchmarks: Iterable[str], endpoint: str | None = None
) -> str:
    """Upload a file with the form of a ticket.

    Args:
        client: Follows no redirects; a browser would not follow one to another host either.
        site: The site's address, without a slash at its end.
        token: Allows to submit to the benchmarks.
        benchmarks: Their ids; the first that is open takes the upload.
        endpoint: Where an emulator of S3 answers instead of the bucket's own host; None: nowhere.

    Returns:
        Where the file went.

    Raises:
        SmokeTestFailed: A browser could not have done this; the message says why.
    """
    ticket = _ask_for_ticket(client, site=site, token=token, benchmarks=benchmarks)
    url = httpx.URL(ticket["url"])
    policy = client.get(f"{site}/").headers.get("Content-Security-Policy", "")
    allowed = {source for part in policy.split(";") if part.split()[:1] == ["connect-src"] for source in part.split()}
    if f"https://{url.host}" not in allowed and not (endpoint and str(url).startswith(endpoint)):
        raise SmokeTestFailed(f"{site}/: its policy allows requests to {sorted(allowed)}, and uploads go to {url}")
    preflight = client.options(url, headers={"Origin": site, "Access-Control-Request-Method": "POST"})
    if preflight.headers.get("Access-Control-Allow-Origin") not in {"*", site}:
        raise SmokeTestFailed(f"{url}: pages may not upload there, the preflight gave {preflight.status_code}")
    answer = client.post(url, data=ticket["fields"], files={"file": NOTHING})
    if not answer.is_success:
        raise SmokeTestFailed(f"{url}: expected an upload to succeed, found {answer.status_code}: {answer.text[:300]}")
    return str(url)


def _ask_for_ticket(client: httpx.Client, *, site: str, token: str, benchmarks: Iterable[str]) -> dict[str, Any]:
    answers = []
    for benchmark in benchmarks:
        answer = client.post(
            f"{site}/api/benchmarks/{benchmark}/uploads",
            json={"bytes": len(NOTHING), "filename": "smoke-test.jsonl"},
            headers={"Authorization": f"Bearer {token}"},
        )
        if answer.status_code == HTTPStatus.CREATED:
            ticket: dict[str, Any] = answer.json()
            return ticket
        answers.append(f"{benchmark}: {answer.status_code} {answer.text[:200]}")
    raise SmokeTestFailed(f"{site}: no benchmark takes an upload: {'; '.join(answers)}")
