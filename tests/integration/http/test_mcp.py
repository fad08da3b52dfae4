"""The Model Context Protocol: five tools over the API, by PyPI's own client, and what is no message of a client."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from werkzeug.wrappers import Request, Response

from handlers.http import outcomes as status
from local.site.files import START, find_file
from scripts.frontend.build_kit import GUIDES
from storage.keys import INDEX_KEY
from storage.players.tokens import Scope
from tests.harness.api_paths import METHODS
from tests.harness.factories import make_player, name_guest
from tests.harness.imported import Imported
from tests.harness.stack import COINS, GOOD, ROOT, Answer, Api, StackHarness, make_benchmark

client_of_pypi = Imported("mcp.client.client")
TOOLS: Final = ["list_benchmarks", "read_benchmark", "read_board", "read_submission", "submit_result"]
LIST: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
DEEP: Final = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001

pytestmark = pytest.mark.usefixtures("tiny", "impatient")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no tool wait for scores, which nothing here would bring."""
    monkeypatch.setattr(status, "POLL_SECONDS", 60)


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Log nothing."""


@pytest.fixture
def address(api: Api) -> Iterator[str]:
    """The address of an HTTP server that passes each request on to the API."""

    @Request.application
    def answer(request: Request) -> Response:
        sent = dict(request.headers)
        got = api(request.method, request.path, headers=sent, body=request.get_data(), query=dict(request.args))
        body = "" if got.body is None else json.dumps(got.body)
        return Response(body, got.status, content_type=got.headers["content-type"])

    with make_server("127.0.0.1", 0, answer, handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/api/mcp"
        server.shutdown()
        thread.join()


def send(api: Api, message: Any, **headers: str) -> Answer:
    """Send a message, or what is none."""
    return api.ask("/api/mcp", message, {name.replace("_", "-"): value for name, value in headers.items()})


def call(api: Api, tool: str, arguments: Any, **headers: str) -> tuple[bool, Any]:
    """Call a tool; return whether that failed, and what it answers."""
    params = {"name": tool, "arguments": arguments}
    answer = send(api, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, **headers)
    result = answer.body["result"]
    return result["isError"], json.loads(result["content"][0]["text"])


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_client_of_pypi_lists_and_calls_every_tool(address: str, stack: StackHarness, mode: str) -> None:
    """Over HTTP, whether it shakes hands or tries the protocol without it first."""

    async def converse() -> dict[str, Any]:
        texts: dict[str, Any] = {}
        async with client_of_pypi.Client(address, mode=mode) as client:
            listed = (await client.list_tools()).tools
            texts["listed"] = [tool.name for tool in listed]

            async def use(name: str, **arguments: Any) -> Any:
                answer = await client.call_tool(name, arguments)
                assert not answer.is_error, answer
                texts[name] = json.loads(answer.content[0].text)  # type: ignore[union-attr]
                return texts[name]

            benchmark = (await use("list_benchmarks"))["benchmarks"][0]["id"]
            await use("read_benchmark", benchmark=benchmark, player="Ada")
            accepted = await use("submit_result", benchmark=benchmark, result=json.dumps(GOOD), player="Ada")
            await use("read_submission", benchmark=benchmark, submission=accepted["submission"])
            await use("read_board", benchmark=benchmark, limit=5)
        return texts

    texts = asyncio.run(converse())

    assert texts.pop("listed") == TOOLS
    assert texts.keys() == set(TOOLS)
    assert texts["read_benchmark"]["quota_left"] > 0
    assert texts["submit_result"]["submission"] == stack.submission().id
    assert stack.submission().player.id == name_guest("Ada").id
    assert texts["read_submission"]["status"] == "queued"
    assert texts["read_board"]["total"] == 0


def test_tools_say_what_they_take(api: Api) -> None:
    """Each has a description, a closed schema, and whether it only reads."""
    tools = send(api, LIST).body["result"]["tools"]

    assert [tool["name"] for tool in tools] == TOOLS
    assert [tool["annotations"]["readOnlyHint"] for tool in tools] == [True, True, True, True, False]
    for tool in tools:
        assert tool["description"]
        assert tool["inputSchema"]["additionalProperties"] is False
    assert tools[4]["inputSchema"]["required"] == ["benchmark", "result"]


def test_guide_and_llms_txt_name_what_exists() -> None:
    """The guide lists the tools; each address of llms.txt is a route, a page, a guide or a file of the boards."""
    guide, text = (ROOT / "docs/agents.md").read_text(), (ROOT / "frontend/public/llms.txt").read_text()
    addresses = re.findall(r"\]\((/[^)]*)\)", text)

    assert re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE) == TOOLS
    assert text.startswith("# Laurel\n\n> ")
    assert {"/sdk/agents.md", "/api/mcp"} <= set(addresses)
    for address in addresses:
        is_guide = address.removeprefix("/sdk/").removesuffix(".md") in GUIDES
        is_page = find_file(address) == START
        assert is_guide or is_page or address == f"/{INDEX_KEY}" or address in METHODS, address


@pytest.mark.hostile
def test_credentials_are_those_of_the_message(api: Api, stack: StackHarness) -> None:
    """A token submits as its player, a receipt shows what a guest's says, and neither opens what is another's."""
    bo = stack.issue_token(make_player("bo", "Bo"), Scope.SUBMIT, benchmarks=("tiny",))
    eve = stack.issue_token(make_player("eve", "Eve"), Scope.SUBMIT, benchmarks=("other",))
    about = {"benchmark": "tiny", "result": GOOD}

    failed, accepted = call(api, "submit_result", about, **bo)
    submission = {"benchmark": "tiny", "submission": accepted["submission"]}
    seen = [call(api, "read_submission", submission, **headers)[1]["quota_left"] for headers in (bo, eve, {})]
    _, opened = call(api, "read_submission", {**submission, "receipt": accepted["receipt"]})
    foreign = [call(api, "submit_result", about, **headers) for headers in (eve, {"Authorization": "Bearer x"})]

    assert (failed, stack.submission().player.id) == (False, "bo")
    assert seen == [99, None, None]
    assert opened["quota_left"] == 99
    assert [(failed, problem["status"]) for failed, problem in foreign] == [(True, 403), (True, 401)]


def test_text_of_another_format_is_submitted_as_it_is(api: Api, stack: StackHarness) -> None:
    """A result that is no JSON is a text; one with the sign for a broken character is not taken for a broken body."""
    stack.publish(make_benchmark(COINS, submissions={"takes": ["csv"]}))
    text = "question,text\n1,\ufffd\n"

    failed, accepted = call(api, "submit_result", {"benchmark": "coins", "result": text, "file_format": "csv"})

    assert not failed, accepted
    (key,) = stack.results()
    assert stack.cloud.s3.get_object(Bucket=stack.results_bucket, Key=key)["Body"].read() == text.encode()


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_board", {"benchmark": "../../results/tiny"}),
        ("read_board", {"benchmark": "tiny", "board": "../tiny"}),
        ("read_submission", {"benchmark": "tiny", "submission": "../../audit"}),
        ("read_board", {"benchmark": "tiny", "limit": 10**9}),
        ("read_board", {"benchmark": "tiny", "path": "/etc/passwd"}),
        ("read_board", {}),
        ("read_board", None),
        ("submit_result", {"benchmark": "tiny", "result": 5}),
        ("submit_result", {"benchmark": "tiny", "result": "{"}),
        ("submit_result", {"benchmark": "tiny", "result": {}, "file_format": "csv"}),
        ("submit_result", {"benchmark": "tiny", "result": "x", "file_format": "../csv"}),
        ("submit_result", {"benchmark": "tiny", "result": GOOD, "player": "\u202eAda"}),
        ("submit_result", {"benchmark": "tiny", "result": GOOD, "idempotency_key": "a\r\nHost: x"}),
        ("submit_result", {"benchmark": "tiny", "result": {"text": "x" * 2_000_000}}),
    ],
)
def test_wrong_arguments_are_told_to_the_agent(api: Api, stack: StackHarness, tool: str, arguments: Any) -> None:
    """As a problem of the API in the tool's answer; nothing is stored."""
    failed, problem = call(api, tool, arguments)

    assert failed
    assert 400 <= problem["status"] < 500
    assert problem["detail"]
    assert stack.results() == []


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("message", "headers", "expected"),
    [
        ([LIST, LIST], {}, 400),
        ({"id": 1, "method": "ping"}, {}, 400),
        ({**LIST, "id": True}, {}, 400),
        (b"{", {}, 400),
        (b'{"jsonrpc": "2.0", "jsonrpc": "2.0", "id": 1, "method": "ping"}', {}, 400),
        (DEEP, {}, 400),
        (b" " * 2_600_000, {}, 413),
        (LIST, {"Content-Type": "text/plain"}, 415),
        (LIST, {"MCP-Protocol-Version": "1999-01-01"}, 400),
        (LIST, {"Origin": "https://chat.example"}, 200),
        (LIST, {"Origin": "null"}, 200),
        (LIST, {"MCP-Protocol-Version": "2025-06-18"}, 200),
        ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}, 202),
        ({"jsonrpc": "2.0", "id": 7, "result": {}}, {}, 202),
    ],
)
def test_what_is_no_message_of_a_client_is_refused(
    api: Api, message: Any, headers: dict[str, str], expected: int
) -> None:
    """Batches, other JSON and other versions; pages of any site may ask, and what needs no answer gets none."""
    answer = send(api, message, **headers)

    assert answer.status == expected
    assert (answer.body is None) == (expected == 202)


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("resources/read", {"uri": "file:///etc/passwd"}, -32601),
        ("server/discover", {}, -32601),
        ("tools/call", {"name": "withdraw", "arguments": {}}, -32602),
        ("tools/call", {"name": ["read_board"]}, -32602),
        ("tools/call", [], -32602),
        ("initialize", None, -32602),
    ],
)
def test_unknown_methods_and_tools_are_errors(api: Api, method: str, params: Any, code: int) -> None:
    """By the codes of JSON-RPC, with the id of the message."""
    answer = send(api, {"jsonrpc": "2.0", "id": "x", "method": method, "params": params})

    assert (answer.status, answer.body["id"], answer.body["error"]["code"]) == (200, "x", code)


def test_initialize_answers_with_a_version_that_both_speak(api: Api) -> None:
    """The client's if it is known, else the newest; a GET is not allowed, since nothing is streamed."""
    asked = ["2025-06-18", "2024-11-05", 7]
    answers = [
        send(api, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version}})
        for version in asked
    ]

    versions = [answer.body["result"]["protocolVersion"] for answer in answers]
    assert versions == ["2025-06-18", "2025-11-25", "2025-11-25"]
    refused = api.get("/api/mcp")
    assert (refused.status, refused.headers["allow"]) == (405, "POST")
