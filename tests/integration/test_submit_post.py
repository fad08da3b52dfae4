"""The POST of a result is answered without the resolver, exactly as the resolver answers it."""

import copy
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api import app as resolver
from api.openapi import describe_api
from api.submissions import routes as documented
from evaluate import queue
from handlers.http import dependencies
from handlers.http.answers import Answer
from handlers.http.submission_views import Accepted, SubmissionView
from storage.access.tokens import Scope
from storage.submissions.models import PlayerKind
from submit import http
from submit.post import PostParameters, read_parameters
from tests.harness.factories import make_player
from tests.harness.stack import COINS, GOOD, Api, InProcess, StackHarness, make_benchmark, make_context, make_message

PATH = "/api/benchmarks/{benchmark}/submissions"
NAMES = ["player", "kind", "part", "other"]
ODD = st.sampled_from(["human", "model", "", "a,b", "human,model", "Ada", "Zo\u00eb", "\ud800", "a\u00a0b", "\0"])
HEADERS = {"content-type": "application/json", "x-viewer-address": "192.0.2.7"}


def make_post(
    body: str | None = json.dumps(GOOD),
    *,
    benchmark: str = "tiny",
    query: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Make the event of a POST; keys of the event can be replaced."""
    path = PATH.format(benchmark=benchmark)
    event: dict[str, Any] = {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": urlencode(query or {}, errors="surrogatepass"),
        "headers": {**HEADERS, **(headers or {})},
        "requestContext": {"http": {"method": "POST", "path": path}, "requestId": "1", "stage": "$default"},
        "isBase64Encoded": False,
        **({} if body is None else {"body": body}),
        **({} if query is None else {"queryStringParameters": dict(query)}),
    }
    return {**event, **changes}


@pytest.fixture
def ask_both(api: Api) -> Any:
    """A function that returns the answers to an event: of the handler, then of the resolver alone."""

    def ask(event: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        event = {**event, "headers": {**api.origin_headers, **event["headers"]}}
        answer = http.lambda_handler(copy.deepcopy(event), make_context())
        full = resolver.app.resolve(copy.deepcopy(event), make_context())  # type: ignore[arg-type]
        full["headers"]["Cache-Control"] = "no-store"
        for name in ("RateLimit", "RateLimit-Policy"):  # the second answer repeats the first, and is not charged
            answer["headers"].pop(name, None)
        return answer, full

    return ask


@pytest.fixture
def credentials(stack: StackHarness) -> dict[str, dict[str, str]]:
    """Three benchmarks, and the headers of callers."""
    stack.publish(make_benchmark())
    stack.publish(make_benchmark(COINS, id="parts", parts=["one"]))
    stack.publish(make_benchmark(id="closed", closes="2026-01-01T00:00:00+02:00"))
    stack.publish(make_benchmark(id="later", opens="2999-01-01T00:00:00Z"))
    stack.publish(make_benchmark(id="members", submissions={"anonymous": False, "max_bytes": 60}))
    anna = make_player("anna", "Anna", PlayerKind.MODEL)
    return {
        "anna": stack.issue_token(anna, Scope.SUBMIT),
        "elsewhere": stack.issue_token(anna, Scope.SUBMIT, benchmarks=("parts",)),
    }


@pytest.mark.parametrize(
    ("changes", "caller", "status"),
    [
        ({}, None, 202),
        ({"query": {}}, None, 202),
        ({"query": {"player": "Ada Lovelace", "kind": "model"}}, None, 202),
        ({"query": {"player": "\u4e2d\u6587"}}, None, 202),
        ({"query": {"part": "one"}, "benchmark": "parts"}, None, 202),
        ({}, "anna", 202),
        ({"query": {"part": "one"}, "benchmark": "parts"}, "elsewhere", 202),
        ({"body": "eyJxdWVzdGlvbiI6ICIxIn0=", "isBase64Encoded": True}, None, 202),
        ({"body": None}, None, 400),
        ({"body": "{"}, None, 400),
        ({"body": "\ud800"}, None, 400),
        ({"body": "1"}, None, 422),
        ({"body": json.dumps(["x" * 60]), "benchmark": "members"}, "anna", 413),
        ({"headers": {"Content-Type": "text/html"}}, None, 415),
        ({"headers": {"Content-Encoding": "gzip"}}, None, 415),
        ({"headers": {"Idempotency-Key": "a b"}}, None, 400),
        ({"headers": {"Authorization": "Basic x"}}, None, 401),
        ({"headers": {"Authorization": "Bearer laurel_unknown"}}, None, 401),
        ({"headers": {"Authorization": "Bearer receipt_unknown"}}, None, 401),
        ({"headers": {"x-origin-secret": "wrong"}}, None, 403),
        ({}, "elsewhere", 403),
        ({"benchmark": "closed", "headers": {"Idempotency-Key": ""}}, None, 400),
        ({"benchmark": "unknown"}, None, 404),
        ({"benchmark": "members"}, None, 401),
        ({"query": {"player": "admin"}}, None, 422),
        ({"query": {"player": "Anna"}}, None, 409),
        ({"query": {"player": "laurel_" + "x" * 43}}, None, 422),
        ({"query": {"part": "two"}, "benchmark": "parts"}, None, 422),
    ],
)
def test_answer_is_the_resolvers(
    ask_both: Any, credentials: dict[str, dict[str, str]], changes: dict[str, Any], caller: str | None, status: int
) -> None:
    """Status, headers and bytes are the same; a repeated key makes both answer about one submission."""
    headers = {"idempotency-key": "same"} | (credentials[caller] if caller else {}) | changes.pop("headers", {})
    event = make_post(**changes, headers={name.lower(): value for name, value in headers.items()})

    answer, full = ask_both(event)

    assert read_parameters(event) is not None
    assert answer == full
    assert answer["statusCode"] == status


@pytest.mark.usefixtures("credentials")
def test_blank_parameter_names_nothing(api: Api) -> None:
    """A client that sends each of its fields names nobody by an empty one."""
    blank = {"player": "", "kind": "", "part": " ", "label": ""}

    named = api.post(benchmark="parts", query=blank | {"part": "one"})
    answers = [api.post(query=query) for query in (blank, {"level": ""}, {"private": "true"})]

    assert [answer.status for answer in (named, *answers)] == [202, 202, 422, 422]


@pytest.mark.parametrize("benchmark", ["closed", "later"])
def test_answer_of_a_benchmark_that_is_not_open_is_the_resolvers(
    ask_both: Any, credentials: dict[str, dict[str, str]], benchmark: str
) -> None:
    """The time of opening or closing is written as it was."""
    answer, full = ask_both(make_post(benchmark=benchmark, headers=credentials["anna"]))

    assert answer == full
    assert answer["statusCode"] == HTTPStatus.FORBIDDEN


def test_answer_with_the_outcome_is_the_resolvers(ask_both: Any, stack: StackHarness, api: Api) -> None:
    """An outcome with scores and detail is written as the resolver writes it, null members included."""
    stack.publish(make_benchmark())
    api.post(headers={"Idempotency-Key": "same"})
    messages = {"Records": [make_message(key) for key in stack.results()]}
    InProcess(queue.lambda_handler, "EvaluateFunction").invoke(messages)

    answer, full = ask_both(make_post(headers={"idempotency-key": "same", "prefer": "wait=1"}))

    assert answer == full
    assert answer["statusCode"] == HTTPStatus.OK
    assert SubmissionView.model_validate_json(answer["body"]).scores


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"query": {"kind": "robot"}}, 422),
        ({"query": {"level": "3"}}, 422),
        ({"query": {"player": "G\u00d0\u00b0"}, "rawQueryString": "player=G\u00d0\u00b0"}, 400),
        ({"query": {"player": "\ufffd"}, "rawQueryString": "player=%ff"}, 400),
        ({"query": {"player": "Lovelace, Ada"}, "headers": {"idempotency-key": "same"}}, 202),
        ({"query": {"player": "a,b"}, "rawQueryString": "player=a&player=b"}, 422),
        ({"benchmark": "UPPER"}, 404),
        ({"benchmark": "a%b"}, 404),
        ({"rawPath": "/api/benchmarks/tiny/submissions/"}, 404),
        ({"rawPath": "/api/benchmarks//submissions"}, 404),
    ],
)
@pytest.mark.usefixtures("credentials")
def test_the_resolver_has_the_rest(ask_both: Any, changes: dict[str, Any], status: int) -> None:
    """What only the resolver can read or reject is left to it."""
    event = make_post(**changes)

    answer, full = ask_both(event)

    assert read_parameters(event) is None
    assert answer == full
    assert answer["statusCode"] == status


@pytest.mark.parametrize(
    "request_context",
    [
        {"http": {"method": "PUT"}, "stage": "$default"},
        {"http": {"method": "GET"}, "stage": "$default"},
        {"http": {"method": "POST"}, "stage": "v1"},
    ],
)
def test_other_requests_are_left_to_the_resolver(request_context: dict[str, Any]) -> None:
    """Another method or another stage of API Gateway is none of the POST's business."""
    assert read_parameters(make_post(requestContext=request_context)) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    query=st.lists(st.tuples(st.sampled_from(NAMES), ODD | st.text(max_size=8)), max_size=5),
    benchmark=st.sampled_from(["tiny", "a" * 64, "a" * 65, "A", "", "a b"]) | st.text("ab-.,%<[", max_size=4),
)
def test_parameters_are_read_as_the_resolver_reads_them(api: Api, query: list[tuple[str, str]], benchmark: str) -> None:
    """Whatever the query holds, the POST is given the values that the resolver would have found, or none."""
    values: dict[str, list[str]] = {}
    for name, value in query:
        values.setdefault(name, []).append(value)
    event = make_post(
        benchmark=benchmark,
        query={name: ",".join(each) for name, each in values.items()},
        headers=api.origin_headers,
        rawQueryString=urlencode(query, errors="surrogatepass"),
    )
    seen: list[PostParameters] = []

    def record(_: Mapping[str, Any], parameters: PostParameters) -> Answer:
        seen.append(parameters)
        return Answer(HTTPStatus.ACCEPTED, '{"submission": "", "status_url": "", "receipt": ""}', {})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documented, "submit_result", record)
        resolver.app.resolve(copy.deepcopy(event), make_context())  # type: ignore[arg-type]

    parameters = read_parameters(event)
    assert parameters is None or [parameters] == seen


def test_document_describes_the_post(api: Api, stack: StackHarness) -> None:
    """Parameters, statuses and members of the answers are those of the OpenAPI document."""
    stack.publish(make_benchmark())
    document = describe_api(resolver.app)
    operation = document["paths"]["/api/benchmarks/{benchmark}/submissions"]["post"]
    described = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] != "header"}
    kinds = document["components"]["schemas"]["PlayerKind"]["enum"]

    accepted = api.post()

    assert described == set(PostParameters._fields)
    assert set(kinds) == set(PlayerKind)
    assert accepted.body.keys() == Accepted.model_fields.keys()
    assert Accepted.model_validate(accepted.body, strict=True)
    assert {"200", "202"} == {status for status in operation["responses"] if status < "300"}


def test_initialisation_builds_what_a_post_needs(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clients are made while Lambda initialises the function, and nowhere else before a request."""
    dependencies.prepare_post()
    before = dependencies.services.cache_info().currsize
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")

    dependencies.prepare_post()

    assert (before, dependencies.services.cache_info().currsize) == (0, 1)
    assert {"authenticator", "submissions"} <= vars(dependencies.services()).keys()


def test_initialisation_leaves_a_wrong_environment_to_the_requests(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that lacks a variable starts, and answers 500."""
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
    monkeypatch.delenv("ACCESS_TABLE")

    dependencies.prepare_post()

    assert api.post().status == HTTPStatus.INTERNAL_SERVER_ERROR
