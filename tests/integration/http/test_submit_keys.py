"""No path and no query becomes a key of a table or bucket that AWS would reject."""

from urllib.parse import quote

import pytest

from storage.benchmarks.store import PublishedBenchmark
from storage.players.tokens import Scope
from tests.harness.api_paths import ROUTES
from tests.harness.factories import make_guest_record, make_player, make_withdrawal
from tests.harness.stack import Api, StackHarness

NAMES = [
    "withdrawal",
    "none",
    "#",
    "##",
    "#withdrawal",
    "%00",
    "é" * 40,
    "a" * 64,
    "f" * 16,
    "f" * 987,
    "f" * 988,
    "f" * 2049,
    "0" * 8000,
    "\U0001f600" * 300,
    "..",
    "current.json",
]
QUERIES = ("version", "player", "cursor", "session", "part", "kind", "outcome")
STEPS = ("benchmark", "submission", "upload", "player", "evaluation")


@pytest.fixture
def submission(stack: StackHarness, tiny: PublishedBenchmark) -> str:
    """The id of that submission."""
    record = make_guest_record(tiny, "Ada", {"score": 1.0}, number=1)
    stack.submissions.put_result(record.submission, b"{}")
    stack.submissions.put_record(record)
    stack.withdrawals.put(make_withdrawal(record))
    return record.submission.id


@pytest.fixture
def admin(stack: StackHarness) -> dict[str, str]:
    """The headers of an administrator, from whom nothing is hidden."""
    boss = make_player("boss", "Boss")
    return stack.issue_token(boss, Scope.ADMIN, Scope.SUBMIT)


@pytest.mark.parametrize("version", ["withdrawal", "f" * 1024, "f" * 17, "F" * 16, "#"])
def test_no_version_of_that_name(api: Api, submission: str, version: str) -> None:
    """A status under what is no version is not found, withdrawn or not."""
    answer = api("GET", f"/api/benchmarks/tiny/submissions/{submission}", query={"version": version})

    assert (answer.status, answer.body["type"]) == (404, "urn:laurel:problem:not-found")


def test_an_empty_version_is_the_present_one(api: Api, submission: str) -> None:
    """A query that names no version behind `version=` asks as one without it, of what is queued, too."""
    queued = api.post().body["submission"]

    answers = [
        api("GET", f"/api/benchmarks/tiny/submissions/{id_}", query={"version": ""}) for id_ in (submission, queued)
    ]

    assert [(answer.status, answer.body["status"]) for answer in answers] == [(200, "done"), (200, "queued")]


@pytest.mark.parametrize("path", [path for path, method in ROUTES if method == "GET"])
def test_a_name_in_a_path_or_query_is_never_our_fault(
    api: Api, submission: str, admin: dict[str, str], path: str
) -> None:
    """Each step of each path, and each parameter, is asked for by every strange name: none is answered with a 5xx."""
    names = {
        "benchmark": "tiny",
        "submission": submission,
        "upload": submission,
        "player": "boss",
        "evaluation": "tiny",
    }
    whole = fill(path, names)
    asked = [(fill(path, {**names, step: name}), {}) for step in STEPS if f"<{step}>" in path for name in NAMES]
    asked += [(whole, {parameter: name}) for parameter in QUERIES for name in NAMES]

    answers = [(url, query, api("GET", url, query=query, headers=admin).status) for url, query in asked]

    assert [request for request in answers if request[2] >= 500] == []


def fill(path: str, names: dict[str, str]) -> str:
    """Put names in the place of the steps of a path."""
    for step, name in names.items():
        path = path.replace(f"<{step}>", name if name.startswith("%") else quote(name, safe=""))
    return path
