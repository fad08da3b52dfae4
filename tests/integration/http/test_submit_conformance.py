"""Schemathesis against the API: whatever a client sends, it is answered as the OpenAPI document says.

The requests go through the WSGI application of the local site and the real handler, over the engine. Methods that API
Gateway does not route are answered by it and are not asked for here.
"""

from collections import Counter
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import openapi
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api import app as api
from api.openapi import describe_api
from local.site.gateway import Gateway
from local.site.headers import SiteHeaders
from local.site.hosts import Hosts
from local.site.server import Site
from scoring_core.outcome import Outcome
from storage.batches.reports import BatchReportStore
from storage.benchmarks.operations import Operation, OperationRequest, OperationStore
from storage.benchmarks.publications import (
    PublicationId,
    PublicationReport,
    PublicationStatus,
    PublicationStore,
)
from storage.gateway.bucket import Bucket
from storage.gateway.functions import LambdaFunction
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_batch_report, make_guest_record, make_player
from tests.harness.site_boards import make_row, store_board
from tests.harness.stack import COINS, Api, InProcess, StackHarness, make_benchmark


def check_refusal(context: Any, response: Any, case: Any) -> bool | None:
    """Expect what is wrong to be refused, but for blank parameters, which forms send: they count as left out."""
    is_told = response.status_code in {413, 431} or "" in map((case.query or {}).get, ("kind", "direction"))
    return None if is_told else negative_data_rejection(context, response, case)


CHECKS: Any = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    check_refusal,
]
OPERATIONS: dict[tuple[str, str], Any] = {
    (method, path): operation
    for path, operations in describe_api(api.app)["paths"].items()
    for method, operation in operations.items()
}
BREAKABLE = [
    place
    for place, operation in OPERATIONS.items()
    if "requestBody" in operation or any(parameter["in"] == "query" for parameter in operation.get("parameters", []))
]
ANNA = make_player("anna", "Anna", PlayerKind.MODEL)
OLGA = make_player("olga", "Olga")


NEVER_MET = {
    "/api/benchmarks/{benchmark}/ban",
    "/api/benchmarks/{benchmark}/deletion",
    "/api/benchmarks/{benchmark}/extension",
    "/api/benchmarks/{benchmark}/invite/mail",
    "/api/benchmarks/{benchmark}/large",
    "/api/benchmarks/{benchmark}/reveal",
    "/api/benchmarks/{benchmark}/solution",
    "/api/benchmarks/{benchmark}/submissions/{submission}/acceptance",
    "/api/benchmarks/{benchmark}/runs",
    "/api/benchmarks/{benchmark}/work",
    "/api/benchmarks/{benchmark}/work/{submission}",
    "/api/benchmarks/{benchmark}/work/{submission}/lease",
    "/api/invitations/join",
    "/api/invitations/open",
    "/api/invitations/{invitation}/revoke",
    "/api/me/erasure",
    "/api/tokens/{token}/revoke",
}
"""Their own tests have the successes: of what is made up, nothing is in review, banned, a contest or for a runner, few
texts are a reason for a ban, nobody confirms an erasure, no line is an address, no code is that of an invitation, and a
player key nearly always lacks its name."""


class Surroundings(NamedTuple):
    """The API as a client meets it, what is there to be asked for, and everybody who may ask."""

    schema: BaseSchema
    places: st.SearchStrategy[dict[str, str]]
    credentials: st.SearchStrategy[dict[str, str]]


@pytest.fixture
def surroundings(stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    """Two benchmarks, one with another version to come; a submission with each outcome; an upload; tokens."""
    monkeypatch.setattr(LambdaFunction, "start", lambda *_: None)  # no function runs beside the API
    coins = stack.publish(make_benchmark(COINS, parts=["one", "two"]))
    stack.publish(make_benchmark())
    records = [
        make_guest_record(coins, "Ada", {"Coins": 5, "Time": 1.5}, number=number, part="one", outcome=outcome)
        for number, outcome in enumerate(Outcome, start=1)
    ]
    for record in records:
        stack.submissions.put_result(record.submission, b"{}")
        stack.submissions.put_record(record)
    bounded = [{**header, "max": 1000} for header in COINS["score_type"]["headers"]]
    stack.publish(make_benchmark(COINS, parts=["one", "two"], score_type={"headers": bounded}))
    ada = make_row(9, 4)._replace(player="guest-ada", name="Ada")
    store_board(stack, coins, [*(make_row(n, n) for n in range(9)), ada])
    queued = api.post(query={"player": "Ada"}).body
    player = stack.issue_token(ANNA, Scope.SUBMIT)
    upload = api.ask("/api/benchmarks/tiny/uploads", {"bytes": 9, "filename": "a.json"}, player).body
    for benchmark in ("tiny", "coins"):
        report = make_batch_report(upload["upload"], benchmark, player=ANNA.id)
        BatchReportStore(Bucket(stack.cloud.objects, stack.results_bucket)).put(report)
    admin = stack.issue_token(OLGA, Scope.ADMIN)
    made = api.ask("/api/benchmarks/coins/invite", {}, admin).body["invitation"]
    invited = {"invitation": made, "token": "0123456789ab", "operation": upload["upload"]}
    OperationStore(Bucket(stack.cloud.objects, stack.results_bucket)).put(
        Operation(id=upload["upload"], request=OperationRequest(operation="sweep"))
    )
    common = {
        **invited,
        "player": "guest-ada",
        "upload": upload["upload"],
        "publication": upload["upload"],
    }
    ended = PublicationReport(status=PublicationStatus.PUBLISHED, version=coins.version, publish_number=1)
    publications = PublicationStore(Bucket(stack.cloud.objects, stack.results_bucket))
    publications.put_report(PublicationId("coins", OLGA.id, upload["upload"]), ended)
    real = [
        {"benchmark": "tiny", "submission": queued["submission"], **common, "player": "anna"},
        *({"benchmark": "coins", "submission": record.submission.id, **common} for record in records),
    ]
    unreal = [
        {
            **invited,
            "benchmark": "none",
            "submission": "0",
            "player": "é",
            "upload": "0",
            "publication": "0",
            "code": "0",
        },
        {
            **invited,
            "benchmark": "tiny",
            "submission": "0" * 36,
            "player": "A",
            "upload": queued["submission"],
            "publication": "a",
            "code": "a b",
        },
        {
            **invited,
            "benchmark": "%00",
            "submission": "%2e%2e",
            "player": "..",
            "upload": "a b",
            "publication": "..",
            "code": "é",
        },
    ]
    # Hypothesis takes the first most often: who may do everything, or too few requests get further than 401.
    credentials = [
        admin,
        stack.issue_token(OLGA, Scope.OWN, benchmarks=("coins",)),
        player,
        {"Authorization": f"Bearer {queued['receipt']}"},
        {},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer laurel_unknown"},
    ]
    return Surroundings(open_schema(api), st.sampled_from([*real, *unreal]), st.sampled_from(credentials))


def open_schema(api: Api) -> BaseSchema:
    """Open the API's own description of itself over the site in this process."""
    functions: Any = {name: InProcess(handler, name) for name, handler in api.handlers.items()}
    nothing = cast("Any", None)
    site = Site(
        gateway=Gateway(functions, api.routes, api.origin_headers, nothing, log=pytest.fail),
        site=nothing,
        storage=nothing,
        pages=nothing,
        outbox=nothing,
        log_request=lambda _: None,
        hosts=Hosts(),
        headers=SiteHeaders({"*": {}}),
    )
    return openapi.from_wsgi("/api/openapi.json", site)


@pytest.mark.fuzz
def test_a_sound_request_is_answered_as_described(surroundings: Surroundings, subtests: pytest.Subtests) -> None:
    """A request that fits the document gets a described answer, for every caller, and the one of success among them."""
    for method, path in OPERATIONS:
        with subtests.test(f"{method} {path}"):
            successes = {int(status) for status in OPERATIONS[method, path]["responses"] if status < "400"}

            check_answers(surroundings, method, path, GenerationMode.POSITIVE, successes)


@pytest.mark.fuzz
def test_a_broken_request_is_refused_as_described(surroundings: Surroundings, subtests: pytest.Subtests) -> None:
    """What does not fit the document is answered as it describes, for every caller; a body is rejected for its form."""
    for method, path in BREAKABLE:
        with subtests.test(f"{method} {path}"):
            # Without a body nearly every request fits: a parameter takes any text, and others are ignored.
            refusals = {400, 413, 415, 422} if "requestBody" in OPERATIONS[method, path] else set[int]()
            check_answers(surroundings, method, path, GenerationMode.NEGATIVE, refusals)


def check_answers(surroundings: Surroundings, method: str, path: str, mode: GenerationMode, expected: set[int]) -> None:
    """Send requests of one kind, up to thirty times as many where none of the first is met as expected."""
    # A request takes a few milliseconds: fewer examples than elsewhere.
    few = settings().max_examples // 5
    for examples in (few, 5 * few, 30 * few):
        statuses = send_many(surroundings, method, path, mode, examples)
        if not expected or path in NEVER_MET or statuses.keys() & expected:
            return
    pytest.fail(f"{method} {path}: none of {sorted(expected)} in {statuses}; NEVER_MET, if chance hardly meets one")


def send_many(surroundings: Surroundings, method: str, path: str, mode: GenerationMode, examples: int) -> Counter[int]:
    """Send requests of one kind and check each answer; return the statuses that were seen."""
    operation = surroundings.schema[path][method]
    names = {part.strip("{}") for part in path.split("/") if part.startswith("{")}
    statuses = Counter[int]()

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(
        case=surroundings.places.flatmap(
            lambda place: operation.as_strategy(mode, path_parameters={name: place[name] for name in names})
        ),
        credentials=surroundings.credentials,
    )
    def send(case: Case, credentials: dict[str, str]) -> None:
        # Of the case itself: a header that was left out on purpose is not missing where it is sent all the same.
        case.headers = {**(case.headers or {}), **credentials}
        statuses[case.call_and_validate(checks=CHECKS).status_code] += 1

    send()
    return statuses
