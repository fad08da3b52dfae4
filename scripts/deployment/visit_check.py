"""Does once what people do: plays as a guest, reads the outcome, joins by a link, erases itself, and uploads a file."""  # noqa: INP001 — scripts are no package

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import httpx

from scripts.deployment.smoke_test import SmokeTestFailed

NOTHING: Final = b"\n"
"""A file of JSON lines without a line that counts: it is stored and read, and nothing of it becomes a submission."""
RESULT: Final = {"smoke_test": True}
"""Most benchmarks find it invalid; where it is scored, the erasure takes its row off the board."""
_REFUSALS: Final = frozenset({401, 403, 409, 415, 422})
"""How a benchmark refuses a guest's result: it is closed, for players with tokens only, or takes other results."""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A visit of a deployed stack.

    Args:
        client: Follows no redirects.
        site: The site's address, without a slash at its end.
        owner: A token that may submit and invite to the benchmarks.
        patience_seconds: How long a result may take.
        sleep: Waits.
    """

    client: httpx.Client
    site: str
    owner: str
    patience_seconds: float = 120
    sleep: Callable[[float], None] = time.sleep

    def run(self, benchmarks: Sequence[str]) -> str:
        """Visit a benchmark, and return what was done there.

        It is the first that takes guests, else the first one. Raises SmokeTestFailed if a person could not have done
        this; the message says why.
        """
        name, guest = f"Smoke Test {secrets.token_hex(4)}", {"Laurel-Player-Key": f"player_{secrets.token_hex(16)}"}
        submitted = self._submit(benchmarks, name, guest)
        benchmark = submitted[0] if submitted else benchmarks[0]
        outcome = self._follow(submitted[1]) if submitted else "not tried, because no benchmark takes guests"
        invite = f"/api/benchmarks/{benchmark}"
        made = self._post(f"{invite}/invite", {"days": 1, "note": "smoke test"}, self.owner, HTTPStatus.CREATED)
        opened = self._post("/api/invitations/open", {"code": made["code"]})
        joining = {"code": made["code"], "name": name, "accept_rules": bool(opened["rules"])}
        joined = self._post("/api/invitations/join", joining, None, HTTPStatus.CREATED, headers=guest)
        self._post(f"{invite}/invitations/{made['invitation']}/revoke", {}, self.owner)
        self._post("/api/me/erasure", {"confirm": joined["player"]}, joined["secret"])
        return f"{benchmark}: a guest's result ({outcome}), an invitation, a token by it, and an erasure"

    def upload(self, benchmarks: Sequence[str], *, endpoint: str | None = None) -> str:
        """Upload a file to the first open benchmark as a page does; return where it went.

        `endpoint` is where an emulator of S3 answers instead of the bucket's own host.

        Raises SmokeTestFailed if a browser could not have done this: the page's policy or the bucket forbids it.
        """
        ticket = self._ask_for_ticket(benchmarks)
        url = httpx.URL(ticket["url"])
        policy = self.client.get(f"{self.site}/").headers.get("Content-Security-Policy", "")
        rules = (part.split() for part in policy.split(";"))
        allowed = {source for rule in rules if rule[:1] == ["connect-src"] for source in rule}
        if f"https://{url.host}" not in allowed and not (endpoint and str(url).startswith(endpoint)):
            raise SmokeTestFailed(f"{self.site}/: its policy allows requests to {sorted(allowed)}, uploads go to {url}")
        preflight = self.client.options(url, headers={"Origin": self.site, "Access-Control-Request-Method": "POST"})
        if preflight.headers.get("Access-Control-Allow-Origin") not in {"*", self.site}:
            raise SmokeTestFailed(f"{url}: pages may not upload there, the preflight gave {preflight.status_code}")
        answer = self.client.post(url, data=ticket["fields"], files={"file": NOTHING})
        if not answer.is_success:
            raise SmokeTestFailed(f"{url}: expected a success, found {answer.status_code}: {answer.text[:300]}")
        return str(url)

    def _ask_for_ticket(self, benchmarks: Sequence[str]) -> dict[str, Any]:
        answers = []
        for benchmark in benchmarks:
            wish = {"bytes": len(NOTHING), "filename": "smoke-test.jsonl"}
            path = f"{self.site}/api/benchmarks/{benchmark}/uploads"
            answer = self.client.post(path, json=wish, headers=_bearer(self.owner))
            if answer.status_code == HTTPStatus.CREATED:
                return self._read(answer, HTTPStatus.CREATED)
            answers.append(f"{benchmark}: {answer.status_code} {answer.text[:200]}")
        raise SmokeTestFailed(f"{self.site}: no benchmark takes an upload: {'; '.join(answers)}")

    def _submit(
        self, benchmarks: Sequence[str], name: str, headers: Mapping[str, str]
    ) -> tuple[str, Mapping[str, Any]] | None:
        """Return the benchmark that accepted a guest's result, and its answer.

        None if none takes guests.
        """
        for benchmark in benchmarks:
            url = f"{self.site}/api/benchmarks/{benchmark}/submissions"
            answer = self.client.post(url, params={"player": name}, json=RESULT, headers=dict(headers))
            if answer.status_code == HTTPStatus.ACCEPTED:
                return benchmark, answer.json()
            if answer.status_code not in _REFUSALS or "problem+json" not in answer.headers.get("content-type", ""):
                self._read(answer, HTTPStatus.ACCEPTED)
        return None

    def _follow(self, accepted: Mapping[str, Any]) -> str:
        """Return the outcome of a submission, as its receipt opens it."""
        url, ends_at = f"{self.site}{accepted['status_url']}", time.monotonic() + self.patience_seconds
        while True:
            status = self._read(self.client.get(url, headers=_bearer(accepted["receipt"])), HTTPStatus.OK)
            if status["status"] == "done" and status["outcome"] != "internal_error":
                return str(status["outcome"])
            if status["status"] == "done" or time.monotonic() >= ends_at:
                raise SmokeTestFailed(f"{url}: expected an outcome, found {status.get('outcome', status['status'])}")
            self.sleep(1)

    def _post(
        self,
        path: str,
        body: Mapping[str, Any],
        token: str | None = None,
        status: HTTPStatus = HTTPStatus.OK,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        sent = {**(_bearer(token) if token else {}), **(headers or {})}
        return self._read(self.client.post(f"{self.site}{path}", json=body, headers=sent), status)

    def _read(self, answer: httpx.Response, expected: HTTPStatus) -> dict[str, Any]:
        if answer.status_code != expected or "json" not in answer.headers.get("content-type", ""):
            reason = f"found {answer.status_code}: {answer.text[:300]}"
            raise SmokeTestFailed(f"{answer.url}: expected {expected.value}, {reason}")
        body: dict[str, Any] = answer.json()
        return body


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}
