"""The local API Gateway: one request never waits for another's outcome."""

import io
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from copy import replace
from pathlib import Path
from typing import Any

import pytest
from werkzeug.exceptions import ClientDisconnected
from werkzeug.test import Client, TestResponse
from werkzeug.wrappers import Request

from local.functions import WAITING_WORKERS, Function, make_functions
from local.log_files import LogFiles
from local.site.gateway import Gateway
from local.site.headers import SiteHeaders
from local.site.hosts import Hosts
from local.site.server import Site
from local.template import Template
from scoring_core.io.gateway import GATEWAY_ANSWERS, MAX_EVENT_BYTES
from tests.harness.stack import ROOT
from tests.harness.waiting import wait_for

HANDLERS = """
import time
from pathlib import Path
from handlers.http.requests import read_wait

def answer(event, context):
    preferred = event["headers"].get("prefer", "")
    if read_wait(preferred):
        Path("{folder}", context.aws_request_id).touch()
        while not Path("{folder}", "scored").exists():
            time.sleep(0.01)
    return {{"statusCode": 200, "headers": {{}}, "body": preferred}}
"""


@pytest.fixture
def submit(template: Template, tmp_path: Path) -> Iterator[Function]:
    """The functions behind the API, with one handler that waits until there is a file called `scored`."""
    (tmp_path / "stand_in.py").write_text(HANDLERS.format(folder=tmp_path / "requests"))
    (tmp_path / "requests").mkdir()
    functions = make_functions(template, {}, log=LogFiles(tmp_path, print).open)
    path = os.pathsep.join((str(tmp_path), *filter(None, sys.path)))
    function = replace(functions["SubmitFunction"], handler="stand_in.answer", environment={"PYTHONPATH": path})
    yield function
    function.stop()


def open_gateway(function: Function, template: Template, log: Callable[[str], None]) -> Client:
    """Return a client of a gateway with one function behind all its routes."""
    functions = dict.fromkeys(("SubmitFunction", "ApiFunction"), function)
    gateway = Gateway(functions, template.routes(), template.origin_headers(), template.cors(), log=log)
    return Client(Request.application(gateway.answer))


@pytest.fixture
def client(submit: Function, template: Template) -> Client:
    """A client of the gateway."""
    return open_gateway(submit, template, pytest.fail)


def test_requests_that_wait_hold_up_no_others(client: Client, submit: Function, tmp_path: Path) -> None:
    """While more requests wait than there are workers, others are answered; in the end all are."""
    answers: queue.Queue[int] = queue.Queue()
    path = "/api/benchmarks/tiny/submissions"
    threads = [
        threading.Thread(target=lambda: answers.put(client.post(path, headers={"Prefer": "wait=10"}).status_code))
        for _ in range(submit.max_workers + 1)
    ]
    for thread in threads:
        thread.start()
    wait_for(lambda: len(list((tmp_path / "requests").iterdir())) == WAITING_WORKERS)

    health = client.get("/api/health")
    plain = client.post(path)

    assert (health.status_code, plain.status_code) == (200, 200)
    assert answers.qsize() <= len(threads) - WAITING_WORKERS  # on a busy machine, who found no place does not wait on
    (tmp_path / "requests" / "scored").touch()
    assert [answers.get(timeout=60) for _ in threads] == [200] * len(threads)
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    ("path", "body", "waits"),
    [
        ("/api/v2/submit/tiny", "", True),
        ("/api/mcp", '{"method": "tools/call", "params": {"name": "submit_result"}}', True),
        ("/api/mcp", '{"params": {"name": "list_boards"}}', False),
        ("/api/mcp", '{"params": {"name": "submit\\u005fresult"}}', False),
    ],
)
def test_what_submits_waits(client: Client, tmp_path: Path, path: str, body: str, *, waits: bool) -> None:
    """Other messages take no place; nor does one that submits under a name that is written otherwise."""
    (tmp_path / "requests" / "scored").touch()

    answer: TestResponse = client.post(path, data=body.encode())

    assert (answer.text != "wait=0", len(list((tmp_path / "requests").iterdir()))) == (waits, 1 + waits)


def test_other_preferences_of_a_request_that_waits_are_passed_on(client: Client, tmp_path: Path) -> None:
    """The rest of the time comes first; what else a request prefers stays."""
    (tmp_path / "requests" / "scored").touch()

    answer: TestResponse = client.post("/api/x", headers={"Prefer": "return=minimal, wait=10"})

    assert answer.text == "wait=10,return=minimal"


def test_a_request_that_finds_no_place_does_not_wait(client: Client, tmp_path: Path) -> None:
    """A request waits for a place as long as it would for its outcome, and then goes on without waiting."""
    threads = [
        threading.Thread(target=client.post, args=("/api/x",), kwargs={"headers": {"Prefer": "wait=10"}})
        for _ in range(WAITING_WORKERS)
    ]
    for thread in threads:
        thread.start()
    wait_for(lambda: len(list((tmp_path / "requests").iterdir())) == WAITING_WORKERS)

    answer: TestResponse = client.post("/api/x", headers={"Prefer": "wait=1"})

    assert answer.text == "wait=0"
    (tmp_path / "requests" / "scored").touch()
    for thread in threads:
        thread.join()


NOT_FOUND = (404, "application/json", '{"message":"Not Found"}')
TOO_LARGE = (413, "application/json", '{"message":"Request Too Long"}')


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"method": "PUT", "path": "/api/health"}, NOT_FOUND),
        ({"method": "DELETE", "path": "/api/health"}, NOT_FOUND),
        ({"path": "/api/"}, NOT_FOUND),
        ({"method": "POST", "path": "/api/x", "data": b'"' * (MAX_EVENT_BYTES // 2)}, TOO_LARGE),
        ({"method": "POST", "path": "/api/x", "data": b"x" * MAX_EVENT_BYTES}, TOO_LARGE),
        ({"method": "POST", "path": "/api/x", "data": b"x" * (MAX_EVENT_BYTES + 1)}, TOO_LARGE),
        (
            {
                "method": "POST",
                "path": "/api/x",
                "input_stream": io.BytesIO(b"x" * (MAX_EVENT_BYTES + 1)),
                "headers": {"Transfer-Encoding": "chunked"},
                "environ_overrides": {"wsgi.input_terminated": True},
            },
            TOO_LARGE,
        ),
    ],
    ids=["method", "other method", "no path", "quotes", "event", "body", "chunks"],
)
def test_gateway_rejects_what_reaches_no_function(
    client: Client, request_: dict[str, Any], expected: tuple[int, str, str]
) -> None:
    """Other methods and long requests get API Gateway's own answers."""
    answer = client.open(**request_)

    assert (answer.status_code, answer.headers["Content-Type"], answer.text) == expected


def test_longest_body_reaches_the_function(client: Client) -> None:
    """A body that fits an event with its headers is passed on; quotes count twice, as JSON escapes them."""
    answers = [
        client.post("/api/x", data=b'"' * (MAX_EVENT_BYTES // 2 - 2000)),
        client.post("/api/x", data=b"x" * 6_000_000),
    ]

    assert [answer.status_code for answer in answers] == [200, 200]


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param("authorization,content-type,idempotency-key,laurel-player-key,laurel-ticket,prefer", id="ours"),
        pytest.param("cache-control,expires,pragma,x-requested-with", id="fetch that evades caches"),
        pytest.param("if-modified-since,if-none-match", id="conditional"),
        pytest.param("baggage,traceparent,tracestate", id="OpenTelemetry"),
        pytest.param("baggage,sentry-trace,traceparent", id="Sentry"),
        pytest.param("user-agent", id="client libraries in Firefox and Safari"),
        pytest.param("last-event-id,mcp-protocol-version,mcp-session-id", id="MCP of 2025"),
        pytest.param("mcp-method,mcp-name,mcp-protocol-version", id="MCP of 2026"),
    ],
)
def test_preflight_allows_what_libraries_add(client: Client, headers: str) -> None:
    """A browser sends the request only if each header that it names is in the answer; case does not matter."""
    asks = {"Origin": "https://game.example", "Access-Control-Request-Method": "POST"}

    answer = client.options("/api/x", headers={**asks, "Access-Control-Request-Headers": headers})

    allowed = answer.headers["Access-Control-Allow-Headers"].lower().split(",")
    assert set(headers.split(",")) - set(allowed) == set()


def test_documents_list_the_gateways_answers() -> None:
    """docs/games.md has a row for each answer of API Gateway, with what a client does."""
    page = (ROOT / "docs" / "games.md").read_text(encoding="utf-8")

    rows = [
        f"| {status:d} `{given.message}` | {given.cause} | {given.advice} |"
        for status, given in GATEWAY_ANSWERS.items()
    ]

    assert [row for row in rows if row not in page] == []


def test_a_client_that_goes_while_it_sends_is_a_line_of_the_log() -> None:
    """The screen of the site shows no traceback."""

    class Lost:
        def answer(self, _: Request) -> Any:
            raise ClientDisconnected

    lines: list[str] = []
    other: Any = None
    gateway: Any = Lost()
    hosts, headers = Hosts(frozenset()), SiteHeaders({"*": {}})
    site = Site(gateway, other, other, Path(), other, lines.append, hosts, headers)

    response = Client(site).post("/api/benchmarks/coin-run/submissions", data=b"{")

    assert response.status_code == 400
    assert [line.rsplit(" ", 2)[0] for line in lines] == ["POST /api/benchmarks/coin-run/submissions 400"]
