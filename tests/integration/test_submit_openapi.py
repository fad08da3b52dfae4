"""The OpenAPI document: valid, complete, and true to what the API answers."""

from collections.abc import Iterator
from typing import Any

import pytest

from handlers.http import paths
from handlers.http.paths import DRES
from tests.harness.api_paths import ROUTES, make_body
from tests.harness.stack import Api, StackHarness, make_benchmark

HIDDEN = {paths.OPENAPI, paths.MCP, paths.BOARD_FILE, paths.VERSION_FILE, paths.BOARD_PAGE, paths.START_PAGE}


@pytest.fixture
def document(api: Api) -> dict[str, Any]:
    """What GET /api/openapi.json answers."""
    body: dict[str, Any] = api.get("/api/openapi.json").body
    return body


TEXTS = {
    "csv": "text/csv", "svg": "image/svg+xml", "html": "text/html", "png": "image/png", "atom": "application/atom+xml"
}  # fmt: skip
"""What answers are that are no JSON, by the ending of the path."""


def test_document_is_openapi_31_of_laurel(document: dict[str, Any]) -> None:
    """It is OpenAPI 3.1 with the three members that are required of it."""
    assert document["openapi"].startswith("3.1.")
    assert {"title", "version"} <= set(document["info"])
    assert set(document) <= {"openapi", "info", "servers", "paths", "components", "tags"}


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

    assert len(ids) == len(set(ids)) == 53


def test_path_parameters_are_declared_as_required(document: dict[str, Any]) -> None:
    """Every name in a path is a required parameter of its operations, and no other parameter is in the path."""
    for path, _, operation in _operations(document):
        named = {
            parameter["name"]
            for parameter in operation.get("parameters", [])
            if parameter["in"] == "path" and parameter["required"]
        }
        assert named == {segment.strip("{}") for segment in path.split("/") if segment.startswith("{")}


def test_parameters_are_unique(document: dict[str, Any]) -> None:
    """No operation has two parameters of the same name in the same place."""
    for _, _, operation in _operations(document):
        parameters = [(parameter["in"], parameter["name"]) for parameter in operation.get("parameters", [])]
        assert len(parameters) == len(set(parameters))


BODILESS = (
    *("/undo", "/runs", "/delete", "/members", "/leave"),
    *("/api/invitations/{invitation}/revoke", "/api/tokens/{token}/revoke"),
)
"""Ends of paths whose POST says all in its address."""


def test_the_body_of_a_post(document: dict[str, Any]) -> None:
    """A POST has a JSON body, but those that say all in their address; only a rescore's may be left out."""
    for path, method, operation in _operations(document):
        has_body = method == "post" and not path.endswith(BODILESS)
        assert ("requestBody" in operation) == has_body
        if has_body:
            assert operation["requestBody"]["required"] == (not path.endswith("/rescore"))
            assert "application/json" in operation["requestBody"]["content"]
    handing_in = document["paths"]["/api/benchmarks/{benchmark}/submissions"]["post"]
    assert "Idempotency-Key" in {parameter["name"] for parameter in handing_in["parameters"]}


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


def test_error_statuses_are_described(document: dict[str, Any]) -> None:
    """What any request, a body, a credential or an address may be refused with is described where it may be sent."""
    for path, method, operation in _operations(document):
        described = set(operation["responses"])
        assert {"400", "403", "422", "429", "431", "500", "503"} <= described, (path, method)
        assert described & {"413", "415"} == ({"413", "415"} if "requestBody" in operation else set()), (path, method)
        assert "401" in described or not any(operation["security"]), (path, method)
        assert "404" in described or "{benchmark}" not in path, (path, method)
        assert len([status for status in described if status < "400"]) in {1, 2}, (path, method)


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


def test_descriptions_are_sentences(document: dict[str, Any]) -> None:
    """Each operation and each answer says what it is, in a sentence of its own."""
    for path, method, operation in _operations(document):
        assert operation["summary"].endswith("."), (path, method)
        for status, answer in operation["responses"].items():
            assert answer["description"].endswith("."), (path, method, status)
            assert answer["description"] != "Successful Response"


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield path, method, operation
