"""Paths and methods of the API: what is there, what is not, and that no answer is cached."""

import json

import pytest

from handlers.http.paths import DRES
from storage.benchmarks.owners import OwnerStore
from storage.gateway.table import Table
from storage.players.tokens import Scope
from tests.harness.api_paths import METHODS, ROUTES
from tests.harness.factories import make_player
from tests.harness.stack import EVENTS, TRUTH, Answer, Api, StackHarness, make_benchmark

pytestmark = pytest.mark.usefixtures("tiny")

KEPT = ("/api/benchmarks/tiny/rows", "/api/data/index.html", "/api/data/b/tiny/index.html", "/api/data/b/tiny/p/")
"""Caches keep for two seconds what begins like this."""

EXAMPLES = [
    path.replace("<benchmark>", "tiny")
    .replace("<submission>", "x")
    .replace("<player>", "y")
    .replace("<evaluation>", "tiny")
    .replace("<code>", "BCDFG-HJKMN")
    for path in METHODS
]
ALL_METHODS = {"GET", "HEAD", "POST"}
"""API Gateway has routes of no other."""


def test_other_methods_of_a_path_are_rejected(api: Api) -> None:
    """A path answers its own methods, HEAD where one is GET, and to every other one 405 with what it takes."""
    for path, own in zip(EXAMPLES, METHODS.values(), strict=True):
        taken = own.replace("GET", "GET HEAD").split()

        refused = {method for method in ALL_METHODS if _allows(api(method, path), ", ".join(taken), path)}

        assert refused == ALL_METHODS - set(taken), path


def test_head_is_a_get_without_its_body(api: Api) -> None:
    """HEAD has status and headers of GET, whatever these are, and no body."""
    for path in (*EXAMPLES, "/api/nothing"):
        whole, head = api.get(path), api("HEAD", path)

        assert (head.status, head.headers, head.body or None) == (whole.status, whole.headers, None), path


def test_query_of_every_path_is_checked(api: Api) -> None:
    """A parameter that a path does not have is refused by name; DRES ignores it, and so do the paths of its API."""
    examples = dict(zip(METHODS, EXAMPLES, strict=True))
    for template, method in ROUTES:
        path = examples[template]
        answer = api(method, path, query={"made-up": "1"})

        refused = (answer.status, "'made-up'" in answer.text) == (422, True)
        assert refused != template.startswith(DRES), path


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/health/",
        "/api/benchmarks/tiny%2Fsubmissions%2Fa%2Fb",
        "/api/benchmarks/../health",
        "/api/%00",
    ],
)
def test_unknown_path_is_not_found(api: Api, path: str) -> None:
    """What is not there is not found, by any method."""
    answers = [api(method, path) for method in ("GET", "HEAD", "POST")]

    assert {answer.status for answer in answers} == {404}
    assert {answer.headers["content-type"] for answer in answers} == {"application/problem+json"}


def test_health_answers_ok(api: Api) -> None:
    """Health returns that the service is up, and its version."""
    assert api.get("/api/health").body == {"status": "ok", "version": "0.1.0"}


def test_benchmarks_are_listed_by_id(api: Api, stack: StackHarness) -> None:
    """Benchmarks are listed in order of id, with what they are and whether they are open."""
    stack.publish(make_benchmark(id="small", closes="2020-01-01T00:00:00Z", opens="2019-01-01T00:00:00Z"))

    cards = api.get("/api/benchmarks").body["benchmarks"]

    assert [(card["id"], card["state"]) for card in cards] == [("small", "closed"), ("tiny", "open")]
    assert cards[1]["url"] == "/api/benchmarks/tiny"
    assert cards[0]["closes"] == "2020-01-01T00:00:00Z"


def test_own_benchmarks_are_listed_for_a_token(api: Api, stack: StackHarness) -> None:
    """A token gets those that it owns, one of `organise` those that its player created."""
    for name in ("made", "other"):
        stack.publish(make_benchmark(id=name))
    owners = OwnerStore(Table(stack.cloud.dynamodb, stack.template.resources["AccessTable"].name))
    owners.claim("made", player="olga")
    owners.claim("other", player="ben")
    olga, eve = make_player("olga", "Olga"), make_player("eve", "Eve")
    tokens = {
        "organise": stack.issue_token(olga, Scope.ORGANISE),
        "own": stack.issue_token(eve, Scope.OWN, benchmarks=("tiny", "made")),
        "submit": stack.issue_token(eve, Scope.SUBMIT),
        "admin": stack.issue_token(eve, Scope.ADMIN),
    }

    def listed(kind: str) -> list[str]:
        answer = api("GET", "/api/benchmarks", query={"owned": "true"}, headers=tokens[kind])
        return [card["id"] for card in answer.body["benchmarks"]]

    assert {kind: listed(kind) for kind in tokens} == {
        "organise": ["made"],
        "own": ["made", "tiny"],
        "submit": [],
        "admin": ["made", "other", "tiny"],
    }
    assert api("GET", "/api/benchmarks", query={"owned": "true"}).status == 401


def test_a_benchmark_that_is_being_published(api: Api, stack: StackHarness) -> None:
    """A bundle whose pointer is not there yet does not take the list away from everybody."""
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key="benchmarks/new/0/f1.zip", Body=b"")

    answer = api.get("/api/benchmarks")

    assert [card["id"] for card in answer.body["benchmarks"]] == ["tiny"]


def test_benchmark_is_shown_without_ground_truth(api: Api) -> None:
    """A benchmark shows its columns, parts, rules and addresses, and nothing of its ground truth."""
    answer = api.get("/api/benchmarks/tiny")

    assert answer.body["headers"][0]["name"] == "score"
    assert answer.body["parts"] == ["1", "2"]
    ranking = {"keep": "best", "combine": "mean", "by": ["score"], "unfinished": "as_scored"}
    assert answer.body["ranking"] == ranking
    assert answer.body["board_url"] == "/data/b/tiny/head.json"
    for secret in ("4945", "V017", "truth.csv", EVENTS["contacts"]["owner"]):
        assert secret in TRUTH + json.dumps(EVENTS)
        assert secret not in answer.text


def test_no_answer_is_cached(api: Api) -> None:
    """No answer may be kept by a cache, good or bad, but the rows of a board and a page without any."""
    for path in (*EXAMPLES, "/api/nothing"):
        caching = {method: api(method, path).headers["cache-control"] for method in ("GET", "POST")}

        kept = "public, max-age=2" if path.startswith(KEPT) else "no-store"
        assert caching == {"GET": kept, "POST": "no-store"}, path


def _allows(answer: Answer, method: str, path: str) -> bool:
    """Return whether an answer rejects the method, names the one that the path takes, and has the shape of its API."""
    media_type = "application/json" if path.startswith(DRES) else "application/problem+json"
    answered = (answer.status, answer.headers.get("allow"), answer.headers["content-type"])
    return answered == (405, method, media_type)
