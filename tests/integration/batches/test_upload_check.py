"""The upload and the visit of a deployment's smoke test: what a browser or a person could not do fails it."""

import re
from collections.abc import Callable, Iterator

import httpx
import pytest

from scripts.deployment.smoke_test import SmokeTestFailed
from scripts.deployment.visit_check import Visit
from storage.audit import Action
from storage.players.tokens import Scope
from tests.harness.command_line import connect_commands
from tests.harness.factories import make_player
from tests.harness.stack import Api, StackHarness, failing, make_benchmark

SITE = "https://site.example.org"
BUCKET = "https://results.s3.eu-central-1.amazonaws.com"
TICKETS = f"POST {SITE}/api/benchmarks/tiny/uploads"
TICKET = httpx.Response(201, json={"upload": "u", "url": f"{BUCKET}/", "fields": {"key": "drops/u"}})
GOOD: dict[str, httpx.Response] = {
    f"GET {SITE}/": httpx.Response(200, headers={"Content-Security-Policy": f"connect-src 'self' {BUCKET}; x y"}),
    f"POST {SITE}/api/benchmarks/closed/uploads": httpx.Response(403, text="closed"),
    TICKETS: TICKET,
    f"OPTIONS {BUCKET}/": httpx.Response(200, headers={"Access-Control-Allow-Origin": "*"}),
    f"POST {BUCKET}/": httpx.Response(204),
}


def upload(changes: dict[str, httpx.Response], *, endpoint: str | None = None) -> str:
    """Run the check against these answers."""
    answers = GOOD | changes
    with httpx.Client(
        transport=httpx.MockTransport(lambda request: answers[f"{request.method} {request.url}"])
    ) as client:
        return Visit(client=client, site=SITE, owner="t").upload(["closed", "tiny"], endpoint=endpoint)


def test_upload_that_a_browser_could_make_passes() -> None:
    """The first benchmark that is open gives a ticket, whose host the page and the bucket allow."""
    assert upload({}) == f"{BUCKET}/"


def test_emulator_answers_in_place_of_the_bucket() -> None:
    """The policy of a page names no emulator, so its address is allowed only where it is passed."""
    other = {f"GET {SITE}/": httpx.Response(200, headers={"Content-Security-Policy": "connect-src 'self'"})}

    assert upload(other, endpoint=BUCKET) == f"{BUCKET}/"
    with pytest.raises(SmokeTestFailed):
        upload(other, endpoint="https://127.0.0.1:4566")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {
                TICKETS: httpx.Response(
                    201, json={"upload": "u", "url": "https://results.s3.amazonaws.com/", "fields": {}}
                )
            },
            "uploads go to https://results.s3.amazonaws.com/",
        ),
        ({f"GET {SITE}/": httpx.Response(200)}, "its policy allows requests to []"),
        ({TICKETS: httpx.Response(429, text="enough")}, "closed: 403 closed; tiny: 429 enough"),
        ({f"OPTIONS {BUCKET}/": httpx.Response(403)}, "the preflight gave 403"),
        ({f"POST {BUCKET}/": httpx.Response(307)}, "found 307"),
        ({f"POST {BUCKET}/": httpx.Response(403, text="AccessDenied")}, "found 403: AccessDenied"),
    ],
)
def test_upload_that_a_browser_could_not_make_fails(changes: dict[str, httpx.Response], message: str) -> None:
    """Another host, a bucket without CORS rules, a redirect and a refusal each fail the deployment."""
    with pytest.raises(SmokeTestFailed) as caught:
        upload(changes)

    assert message in str(caught.value)


ADMIN = "laurel_of-the-administrator"


@pytest.fixture(autouse=True)
def connected(stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests go to this test's API, which knows an administrator."""
    stack.issue_token(make_player("gus", "Gus"), Scope.ADMIN, secret=ADMIN)
    connect_commands(api, monkeypatch)


@pytest.fixture
def visit(stack: StackHarness, work: Callable[[], None]) -> Iterator[Visit]:
    """A visit of the stack, which works while the visitor waits; only the second benchmark takes guests."""
    for name, anonymous in (("closed", False), ("tiny", True)):
        stack.publish(make_benchmark(id=name, title=name, submissions={"anonymous": anonymous}, rules="Be kind."))
    with httpx.Client() as client:
        yield Visit(client=client, site="http://localhost", owner=ADMIN, sleep=lambda _: work())


@pytest.mark.parametrize(
    ("benchmarks", "seen"),
    [(["closed", "tiny"], "tiny: a guest's result (invalid)"), (["closed"], "(not tried, because no benchmark")],
    ids=["guests", "tokens"],
)
def test_visit_does_what_a_person_does(stack: StackHarness, visit: Visit, benchmarks: list[str], seen: str) -> None:
    """The first benchmark that takes guests is visited; nothing of the visitor is left but the marks of an erasure."""
    report = visit.run(benchmarks)

    assert seen in report
    access = stack.items("AccessTable")
    assert "Smoke Test" not in str(access)
    invited = [item for item in access if item["key"]["S"].startswith("invitation#")]
    assert len(invited) == 1
    assert all("revoked_at" in item for item in invited)
    assert {entry.action for entry in stack.trail.list_page(length=1000).entries} > {Action.INVITE, Action.ERASE}


@pytest.mark.parametrize(("status", "method"), [(404, "POST"), (429, "POST"), (403, "POST"), (200, "GET")])
def test_visit_takes_no_other_answer_for_a_refusal(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, status: int, method: str
) -> None:
    """What is not the word of a benchmark on a guest's result, or no JSON, ends the deployment with it."""
    answer = httpx.Response(status, text="<h1>A proxy</h1>", request=httpx.Request(method, visit.site))
    send, is_meant = visit.client.request, lambda verb, url: verb == method and "/submissions" in url
    monkeypatch.setattr(visit.client, "request", lambda *to, **sent: answer if is_meant(*to) else send(*to, **sent))

    with pytest.raises(SmokeTestFailed, match=f"found {status}: <h1>A proxy"):
        visit.run(["tiny"])


@pytest.mark.parametrize(
    ("refused", "where"),
    [
        (("UpdateItem", "quota#"), "/submissions?player=Smoke"),
        (("BatchGetItem", "quota#"), "/submissions/0"),
        (("TransactWriteItems", "invitation#"), "/invite:"),
        (("TransactWriteItems", "name#"), "/invitations/join"),
        (("DeleteItem", "name#"), "/me/erasure"),
    ],
)
def test_visit_that_is_refused_fails(stack: StackHarness, visit: Visit, refused: tuple[str, str], where: str) -> None:
    """Each right that a function lacks on the way is said with the address that answered."""
    operation, about = refused
    with (
        failing(stack.cloud.dynamodb, operation, about=about, code="AccessDeniedException", status=400),
        pytest.raises(SmokeTestFailed, match=re.escape(where)) as caught,
    ):
        visit.run(["tiny"])

    assert "found 500" in str(caught.value)
