"""The OpenAPI document: valid, complete, and true to what the API answers."""

from collections.abc import Iterator
from typing import Any

import pytest

from handlers.http import paths
from handlers.http.paths import DRES
from tests.harness.api_paths import ROUTES, make_body
from tests.harness.stack import Api, StackHarness, make_benchmark

HIDDEN = {
    *(paths.OPENAPI, paths.MCP, paths.BOARD_FILE, paths.VERSION_FILE, paths.BOARD_PAGE, paths.START_PAGE),
    *(paths.PLAYER_PAGE, paths.SUBMISSION_PAGE, paths.PROFILE_PAGE),
}


@pytest.fixture
def document(api: Api) -> dict[str, Any]:
    """What GET /api/openapi.json answers."""
    body: dict[str, Any] = api.get("/api/openapi.json").body
    return body


TEXTS = {
    "csv": "text/csv", "svg": "image/svg+xml", "html": "text/html", "png": "image/png", "atom": "application/atom+xml"
}  # fmt: skip
"""What answers are that are no JSON, by the ending of the path."""


def test_every_path_once(document: dict[str, Any]) -> None:
    """The described operations are those of the table of paths, without the hidden ones and those of DRES."""
    described = {(path, method) for path, operations in document["paths"].items() for method in operations}

    expected = {
        (path.replace("<", "{").replace(">", "}"), method.lower())
        for path, method in ROUTES
        if path not in HIDDEN and not path.startswith(DRES)
    }
    assert described == expected


def test_operation_ids_are_unique(document: dict[str, Any]) -> None:
    """Operation ids are unique."""
    ids = [operation["operationId"] for _, _, operation in _operations(document)]

    assert len(ids) == len(set(ids)) == 57


def test_every_response_has_a_schema(document: dict[str, Any]) -> None:
    """Every response is described; every refusal of the API is a problem, and nothing else is.

    What API Gateway answers itself is a message.
    """
    messages = {"413", "429", "431", "500", "503"}
    for path, _, operation in _operations(document):
        for status, response in operation["responses"].items():
            assert response["description"]
            kinds = {
                kind: answer["schema"].get("$ref", "").rpartition("/")[2]
                for kind, answer in response["content"].items()
            }
            problem, message = {"application/problem+json": "Problem"}, {"application/json": "GatewayMessage"}
            if int(status) < 400:
                csv = ["text/csv"] if "SubmissionList" in kinds.values() else []
                assert list(kinds) == [TEXTS.get(path.rpartition(".")[2], "application/json"), *csv]
            else:
                assert kinds in ([problem | message, message] if status in messages else [problem])


def test_described_credentials_are_required(api: Api, stack: StackHarness, document: dict[str, Any]) -> None:
    """What is described as needing a token, or a player key, rejects requests without; the rest answers anybody."""
    stack.publish(make_benchmark())
    submission = api.post().body["submission"]
    real = {"{benchmark}": "tiny", "{submission}": submission, "{player}": "guest", "{upload}": submission}

    for path, method, operation in _operations(document):
        asked = path
        for name, value in real.items():
            asked = asked.replace(name, value)
        query = {"player": "guest"} if (path, method) == ("/api/benchmarks/{benchmark}/submissions", "get") else {}
        body = make_body(path.replace("{", "<").replace("}", ">"))
        answer = api(method.upper(), asked, query=query, headers={"Content-Type": "application/json"}, body=body)
        takes_key = path.startswith("/api/me/")
        needs_token = operation["security"] == [{"token": []}] or takes_key
        assert (answer.status == 401) == needs_token, (path, answer)


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield path, method, operation
