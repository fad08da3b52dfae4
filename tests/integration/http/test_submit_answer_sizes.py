"""No answer is larger than Lambda can send, whatever it is that was accepted before."""

import json
from collections.abc import Callable
from copy import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from api import app as api
from handlers.http import paths
from handlers.http.problems import MAX_ANSWER_BYTES
from scoring_core.io.markdown import MAX_HTML_BYTES
from scoring_core.outcome import Outcome
from scoring_core.output import Output
from scoring_core.scorers.base import Evaluation
from storage.batches.reports import BatchEntry, BatchReportStore
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.gateway.bucket import Bucket
from storage.keys import make_submission_id
from storage.players.tokens import Scope
from storage.submissions.models import Player, PlayerKind, SubmissionRecord
from submit import http
from submit.batch_import.entries import MAX_NAME_LENGTH
from tests.harness.engine import look_inside
from tests.harness.factories import make_batch_report, make_guest_record, make_player
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark

type Log = Callable[[], list[dict[str, Any]]]

LAMBDA_BYTES = 6_291_556
WIDEST = "\U0001f600"
"""Of one character the most bytes: 12 in JSON, 14 in JSON inside of JSON."""
ADA = make_player("ada", "Ada", PlayerKind.MODEL)
OLGA = make_player("olga", "Olga")
COLUMNS = [WIDEST * 60 + f"{number:04}" for number in range(40)]
WIDE = {
    "score_type": {
        "headers": [{"name": name, "type": "float", "label": WIDEST * 64, "unit": WIDEST * 16} for name in COLUMNS]
    },
    "ranking": {"by": COLUMNS},
    "title": WIDEST * 100,
    "summary": WIDEST * 300,
    "tags": [WIDEST * 32] * 10,
}


@pytest.fixture
def sizes() -> list[int]:
    """How large each answer was, as Lambda would send it."""
    return []


@pytest.fixture
def sized_api(api: Api, sizes: list[int]) -> Api:
    """The API, whose answers are measured."""

    def measured(handler: Callable[..., Any]) -> Callable[..., Any]:
        def handle(event: dict[str, Any], context: Any) -> Any:
            answer = handler(event, context)
            sizes.append(len(json.dumps(answer)))
            return answer

        return handle

    return replace(api, handlers={name: measured(handler) for name, handler in api.handlers.items()})


def owner_of(stack: StackHarness) -> dict[str, str]:
    """Make an owner's token."""
    return stack.issue_token(OLGA, Scope.OWN)


def keep(stack: StackHarness, record: SubmissionRecord, player: Player = ADA) -> SubmissionRecord:
    """Keep a raw result and what became of it."""
    record = replace(record, submission=replace(record.submission, player=player))
    stack.submissions.put_result(record.submission, b"{}")
    assert stack.submissions.put_record(record)
    return record


def scored_with_long_detail(published: PublishedBenchmark, *, parts: int = 1) -> SubmissionRecord:
    """Make a record whose detail repeats 12 MB of what was submitted."""
    record = make_guest_record(published, "Ada", {"Coins": 5, "Time": 1.0}, number=1)
    long = {"items": {str(number): '"' * 1_000_000 for number in range(6 // parts)}}
    evaluations = tuple(
        Evaluation(record.scores, long, f"part-{number}" if parts > 1 else None) for number in range(parts)
    )
    return replace(record, evaluations=evaluations)


@pytest.mark.parametrize("parts", [1, 3])
def test_a_long_detail_comes_by_its_address(sized_api: Api, stack: StackHarness, sizes: list[int], parts: int) -> None:
    """A status without the detail links to it; others see neither."""
    published = stack.publish(make_benchmark(COINS))
    record = keep(stack, scored_with_long_detail(published, parts=parts))
    path = f"/api/benchmarks/coins/submissions/{record.submission.id}"

    answer = sized_api.get(path, headers=owner_of(stack))
    public = sized_api.get(path)

    assert (answer.status, answer.body["scores"], answer.body["detail"]) == (200, record.scores, None)
    assert [part["detail"] for part in answer.body["parts"] or []] == ([] if parts == 1 else [None] * parts)
    downloaded = look_inside().download(answer.body["detail_url"])
    assert json.loads(downloaded.body)["details"] == [evaluation.detail for evaluation in record.evaluations]
    assert [name for name in downloaded.headers if name.lower().startswith("x-amz-meta-")] == []
    assert (public.body["detail"], public.body["detail_url"]) == (None, None)
    assert max(sizes) <= LAMBDA_BYTES


def list_failed(api: Api, stack: StackHarness, *, pages: int) -> list[Any]:
    """Read the list of failed submissions to its end, which comes after so many pages at most."""
    headers, query, listed = owner_of(stack), {"outcome": "failed"}, list[Any]()
    for _ in range(pages):
        page = api("GET", "/api/benchmarks/coins/submissions", query=query, headers=headers)
        assert page.status == 200
        listed += page.body["submissions"]
        if page.body["next"] is None:
            return listed
        query["cursor"] = page.body["next"]
    raise AssertionError(f"no end after {pages} pages")


@pytest.mark.parametrize("printed", ["\x01", "\ufffd", "\\"])
def test_errors_of_scripts_that_print_without_end(
    sized_api: Api, stack: StackHarness, sizes: list[int], printed: str
) -> None:
    """A page of errors ends where an answer must; the pages together hold every error once, in order."""
    published = stack.publish(make_benchmark(COINS))
    output = Output(stdout=printed * 65_536, stderr=printed * 65_536, ended="exited with code 1")
    for number in range(25):
        record = make_guest_record(published, "Ada", {}, number=number, outcome=Outcome.EVALUATOR_ERROR)
        keep(stack, replace(record, output=output, message=WIDEST * 4000, pointer=WIDEST * 1000))
    listed = list_failed(sized_api, stack, pages=25)

    ids = [error["submission"] for error in listed]
    assert (len(ids), ids) == (25, sorted(set(ids), reverse=True))
    assert {len(error["output"]["stdout"]) for error in listed} == {65_536}
    assert max(sizes) <= LAMBDA_BYTES


@pytest.mark.parametrize("room", [1, 1_500])
def test_an_error_that_is_longer_than_a_page(
    api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """A page holds one error at least, so that all pages together hold each once, whatever its version."""
    monkeypatch.setattr("api.submissions.listing.MAX_CONTENT_BYTES", room)
    published = stack.publish(make_benchmark(COINS))
    records = [make_guest_record(published, "Ada", {}, number=number, outcome=Outcome.INVALID) for number in range(3)]
    records += [
        replace(make_guest_record(published, "Ada", {}, number=number, outcome=Outcome.INVALID), version="f" * 16)
        for number in range(3, 6)
    ]
    for number, record in enumerate(records):
        assert stack.submissions.put_record(replace(record, message="x" * 300 * number))
    listed = [(error["submission"], error["version"]) for error in list_failed(api, stack, pages=len(records))]

    assert listed == sorted(((record.submission.id, record.version) for record in records), reverse=True)


def test_the_report_of_the_largest_batch(sized_api: Api, stack: StackHarness, sizes: list[int]) -> None:
    """Of 10,000 entries with the longest names, and the first thousand with the longest messages, a page is shown."""
    stack.publish(make_benchmark(COINS))
    headers = stack.issue_token(ADA, Scope.SUBMIT)
    drop = make_submission_id(datetime.now(UTC), bytes(10))
    entries = tuple(
        BatchEntry(entry=WIDEST * MAX_NAME_LENGTH, error=WIDEST * (5000 if number < 1000 else 1))
        for number in range(10_000)
    )
    report = make_batch_report(drop, "coins", entries=entries)
    BatchReportStore(Bucket(stack.cloud.objects, stack.results_bucket)).put(report)

    answer = sized_api.get(f"/api/benchmarks/coins/uploads/{drop}", headers=headers)
    listed = sized_api(
        "GET", "/api/benchmarks/coins/submissions", query={"batch": drop, "limit": "1000"}, headers=headers
    )

    assert (answer.status, answer.body["refused"]) == (200, 10_000)
    assert 10 < len(listed.body["submissions"]) < 1000
    assert listed.body["next"]
    assert max(sizes) <= LAMBDA_BYTES


def publish_copies(monkeypatch: pytest.MonkeyPatch, published: PublishedBenchmark, *, copies: int) -> None:
    """Let there be many benchmarks of the same content."""
    monkeypatch.setattr(BenchmarkStore, "current", lambda *_, **__: published)
    monkeypatch.setattr(BenchmarkStore, "list_ids", lambda _: [f"b-{number}" for number in range(copies)])


def test_the_page_of_the_widest_benchmark(
    sized_api: Api, stack: StackHarness, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A benchmark with the longest of everything is shown, alone and in a list of 500 such."""
    published = stack.publish(make_benchmark(COINS, **WIDE))
    parts = tuple(f"{number:064}" for number in range(1000))
    publish_copies(
        monkeypatch,
        published.model_copy(update={"parts": parts, "description": '"' * MAX_HTML_BYTES, "sample": '"' * 16_000}),
        copies=500,
    )

    page, listed = sized_api.get("/api/benchmarks/coins"), sized_api.get("/api/benchmarks")

    assert (page.status, listed.status, len(listed.body["benchmarks"])) == (200, 200, 500)
    assert len(page.body["parts"]) == 1000
    assert max(sizes) <= LAMBDA_BYTES


@pytest.mark.parametrize("path", [paths.HEALTH, paths.DRES_TIME])
def test_what_is_too_large_all_the_same_is_a_problem(
    sized_api: Api, log: Log, sizes: list[int], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """An unforeseen large answer is replaced by a problem with its size, and logged as our fault."""
    monkeypatch.setattr(api.app, "resolve", resolve_too_much(api.app.resolve))
    answer_accepted = http.answer
    monkeypatch.setattr(http, "answer", lambda event: answer_accepted(event)._replace(body=TOO_MUCH))

    answer = sized_api.get(path)

    assert answer.status == 500
    assert str(MAX_ANSWER_BYTES) in answer.text
    assert answer.headers["cache-control"] == "no-store"
    if path == paths.HEALTH:
        assert answer.body["type"] == "urn:laurel:problem:answer-too-large"
    assert [line["size_bytes"] > MAX_ANSWER_BYTES for line in log() if "size_bytes" in line] == [True]
    assert max(sizes) <= LAMBDA_BYTES


TOO_MUCH = json.dumps('"' * 3_000_000)


def resolve_too_much(resolve: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Make a resolver that answers with 3 MB of quotation marks, which take 12 MB inside of JSON."""
    return lambda event, context: resolve(event, context) | {"body": TOO_MUCH}
