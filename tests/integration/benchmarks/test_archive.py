"""An archived benchmark is hidden and read-only, and comes back as it was."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from aggregate import rescore
from api.reasons import OptionalReasonRequest
from handlers.http.bodies import read_model
from handlers.http.problems import Problem
from storage.audit import Action
from storage.batches.reports import BatchState
from storage.benchmarks.store import BenchmarkArchived
from storage.gateway.bucket import Bucket
from storage.keys import START_PAGE_KEY, BatchKey, board_page_key
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from submit import dependencies
from submit.batch_import.importer import import_batch
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import GOOD, TRUTH, Answer, Api, InProcess, StackHarness, make_benchmark, restart_api

HERON = make_player("heron", "Heron", PlayerKind.MODEL)
REASON = "the season <b>is</b> over"
KEY = {"Idempotency-Key": "once"}
BOARDS = [{"id": "humans", "title": "Humans", "when": {"kind": "human"}}]


def ask(api: Api, path: str, body: Any, headers: dict[str, str]) -> Answer:
    """Send a JSON body to a path of the benchmark."""
    return api.ask(f"/api/benchmarks/tiny/{path}", body, headers)


def drop(stack: StackHarness, file: str) -> Any:
    """Put a file into S3 as a player with AWS's rights does, and return how its batch is imported."""
    key = BatchKey("tiny", "heron", file)
    put = stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=str(key), Body=json.dumps(GOOD).encode())
    return lambda: import_batch(dependencies.batch_services(), key, put["VersionId"])


def read_served(stack: StackHarness, key: str) -> list[str]:
    """Return the kinds of data of a served page, and the benchmarks that it links; nothing without a page."""
    stored = Bucket(stack.cloud.objects, stack.site_bucket).find(key)
    return re.findall(r'(?<="@type": ")\w+|(?<=href="/b/)[a-z]+(?=")', stored.body.decode()) if stored else []


def list_ids(api: Api, query: dict[str, str] | None = None) -> list[str]:
    """Return the ids of the list of benchmarks."""
    return [card["id"] for card in api("GET", "/api/benchmarks", query=query).body["benchmarks"]]


def run_schedule() -> None:
    """Run the schedule that archives."""
    InProcess(rescore.lambda_handler, "RescoreFunction").invoke({})
    restart_api()


@pytest.fixture
def owner(api: Api, stack: StackHarness, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The headers of an owner of the benchmark, which has two boards and a player; commands speak to it."""
    connect_commands(api, monkeypatch)
    stack.publish(make_benchmark(boards=BOARDS))
    api.post(GOOD, query={"player": "Ada"})
    work()
    return stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))


def test_archive_and_back(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None], invoked: list[Any]
) -> None:
    """Hidden, readable at its address and closed to every way in, until it is undone; what was accepted is scored."""
    heron = stack.issue_token(HERON, Scope.SUBMIT)
    token, stranger = (each["Authorization"].removeprefix("Bearer ") for each in (owner, heron))
    listed, shown = stack.index(), stack.head("tiny")
    early = drop(stack, "early.json")
    accepted = api.post(GOOD, query={"player": "Bea"}, headers=KEY)

    rejected = [laurel("archive", "tiny", token=stranger), laurel("archive", "tiny")]
    first = laurel("archive", "tiny", "--reason", REASON, token=token)
    again = ask(api, "archive", {}, owner).body["archived"]
    run_schedule()
    head = stack.head("tiny")
    work()

    assert [answer.exit_code for answer in rejected] == [1, 1]
    assert first.stdout.startswith("tiny is archived since ")
    assert again["reason"] == REASON
    assert invoked == [{"benchmark": "tiny"}]
    assert (head, stack.index().benchmarks) == (shown, ()), "a mark renders no board"
    for late in (False, True):
        if late:  # a process that did not know yet wrote the page, and died
            Bucket(stack.cloud.objects, stack.site_bucket).overwrite(board_page_key("tiny"), b'"@type": "Dataset"')
            stack.aggregator.renderer.update_index(["tiny"])
        assert [read_served(stack, key) for key in (board_page_key("tiny"), START_PAGE_KEY)] == [[], ["DataCatalog"]]
    assert [api.get(path).status for path in ("/api/data/b/tiny/index.html", "/api/data/b/none/index.html")] == [
        200,
        404,
    ]
    assert api.get("/api/benchmarks/tiny/rows.png").status == 404
    assert "/social.png" in api.get("/api/data/b/tiny/index.html").body
    assert (list_ids(api), list_ids(api, {"archived": "true"})) == ([], ["tiny"])
    assert [api.get(f"/api/benchmarks/tiny{path}").body["archived"] for path in ("", "/boards")] == [again, again]
    answers = [
        api.post(GOOD, query={"player": "Cleo"}),
        api.post(GOOD, query={"player": "Cleo"}, headers={"Idempotency-Key": "new"}),
        ask(api, "uploads", {"bytes": 9, "filename": "a.json"}, heron),
        ask(api, "rescore", None, owner),
        ask(api, "publications", {"bytes": 9}, owner),
    ]
    assert [answer.status for answer in answers] == [403, 403, 403, 409, 409]
    assert {answer.body["type"] for answer in answers} == {"urn:laurel:problem:archived"}
    assert all(REASON in answer.body["detail"] for answer in answers)
    assert early().state is BatchState.RECEIVED
    with pytest.raises(BenchmarkArchived, match="read-only: the season"):
        stack.publish(make_benchmark(truth=TRUTH.replace("5020", "5021")))
    repeated = api.post(GOOD, query={"player": "Bea"}, headers=KEY)
    assert (repeated.status, repeated.body["submission"]) == (202, accepted.body["submission"])
    work()
    assert {*stack.rows("tiny").name} == {"Ada", "Bea", "Heron"}

    undone = laurel("archive", "tiny", "--undo", token=token)
    ask(api, "archive", {"undo": True}, owner)
    work()

    assert "tiny is not archived" in undone.stdout
    assert api.get("/api/benchmarks/tiny/boards").body["archived"] is None
    assert [entry.id for entry in stack.index().benchmarks] == [entry.id for entry in listed.benchmarks]
    assert api.post(GOOD, query={"player": "Cleo"}).status == 202
    acts = [(entry.action, entry.detail) for entry in stack.trail.list_page(benchmark="tiny", length=1000).entries]
    assert acts == [(Action.ARCHIVE, {"reason": REASON}), (Action.UNARCHIVE, {})]


@pytest.mark.parametrize("body", [[], {"why": "x"}, {"reason": 1}, {"reason": ""}, {"reason": "a\u202eb"}])
def test_wrong_archive_is_rejected(body: Any) -> None:
    """The answer names what was expected, or what to remove, and nothing is stored."""
    with pytest.raises(Problem, match=r"expected|remove it"):
        read_model(json.dumps(body).encode(), OptionalReasonRequest)
