"""What is kept and what is handed out tell nobody a network address, a token or a receipt."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from aggregate import stream
from evaluate import queue
from notify import send
from notify import stream as notices
from storage.keys import parse_result_key
from storage.players.tokens import Scope, hash_secret
from tests.harness.engine import Download, look_inside
from tests.harness.factories import make_player
from tests.harness.stack import Answer, Api, InProcess, StackHarness, make_benchmark

ADDRESS = "203.0.113.77"
ADA = make_player("ada", "Ada")
OLGA = make_player("olga", "Olga")
TABLES = ("AccessTable", "BoardsTable", "MailTable", "SubmissionsTable")
WRONG = '{"question": "9", "text": "TR-V017-4945"}'
KEY = "1"
"""An idempotency key that anybody would guess."""

type Log = Callable[[], list[dict[str, Any]]]


@dataclass(frozen=True)
class Played:
    """A guest and a verified player have submitted; everything has followed.

    Args:
        answers: What the API answered.
        downloads: What the addresses of raw results gave, headers included.
        secrets: Tokens and receipts.
        logged: What the handlers logged.
    """

    answers: list[Answer]
    downloads: list[Download]
    secrets: list[str]
    logged: list[dict[str, Any]]


@pytest.fixture
def played(api: Api, stack: StackHarness, log: Log) -> Played:
    """A guest's result and a verified player's, scored, shown, mailed, withdrawn and fetched by the owner."""
    stack.publish(make_benchmark())
    owner = stack.issue_token(OLGA, Scope.OWN, benchmarks=("tiny",))
    player = stack.issue_token(ADA, Scope.SUBMIT, address="ada@example.com")
    guest = [
        api.post(address=ADDRESS, query={"player": "Guest"}, headers={"Idempotency-Key": KEY}),
        api.post(WRONG, address=ADDRESS),
    ]
    verified = [api.post(WRONG, address=ADDRESS, headers=player)]
    _follow(stack)
    receipt = {"Authorization": f"Bearer {guest[1].body['receipt']}"}
    withdrawal = api.ask(f"{guest[1].body['status_url']}/withdrawal", {"reason": "oops"}, receipt, address=ADDRESS)
    _follow(stack)
    asked = [f"{answer.body['status_url']}{step}" for answer in (*guest, *verified) for step in ("", "/result")]
    answers = [api.get(path, headers=owner) for path in (*asked, "/api/benchmarks/tiny")]
    listed = "/api/benchmarks/tiny/submissions"
    answers += [api("GET", listed, query=query, headers=owner) for query in ({}, {"outcome": "failed"})]
    links = [answer.headers["location"] for answer in answers if answer.status == 303]
    assert len(links) == 3
    return Played(
        answers=[withdrawal, *answers],
        downloads=[look_inside().download(link) for link in links],
        secrets=[answer.body["receipt"] for answer in (*guest, *verified)] + [player["Authorization"].split()[1]],
        logged=log(),
    )


def _follow(stack: StackHarness) -> None:
    """Score, show and mail the submissions."""
    InProcess(queue.lambda_handler, "EvaluateFunction").deliver(*stack.results())
    for handler, function in ((stream.lambda_handler, "AggregateFunction"), (notices.lambda_handler, "NotifyFunction")):
        stack.read_stream(handler, function=function)
    InProcess(send.lambda_handler, "SendFunction").invoke({"detail-type": "Scheduled Event"})


def list_origins(benchmark: str = "tiny") -> list[str]:
    """List what anybody can compute from an address."""
    texts = [ADDRESS, f"origin\0{ADDRESS}", f"{benchmark}\0{ADDRESS}", f"{benchmark}\0{ADDRESS}\0{KEY}"]
    digests = [hashlib.new(name, text.encode()) for text in texts for name in ("md5", "sha1", "sha256")]
    return [ADDRESS, *(form for digest in digests for form in (digest.hexdigest(), digest.hexdigest()[:16]))]


def find_all(secret: str, texts: Iterator[str]) -> list[str]:
    """Return the texts that contain a secret."""
    return [text[:200] for text in texts if secret in text]


def read_kept(stack: StackHarness) -> Iterator[str]:
    """Read everything that is kept: objects with their metadata, and items."""
    for bucket in (stack.results_bucket, stack.site_bucket):
        for key in stack.keys(bucket, ""):
            stored = stack.cloud.s3.get_object(Bucket=bucket, Key=key)
            yield f"{key} {stored['Metadata']} {stored['Body'].read().decode(errors='replace')}"
    for table in TABLES:
        yield from (f"{table} {json.dumps(item)}" for item in stack.items(table))


def read_handed_out(stack: StackHarness, played: Played) -> Iterator[str]:
    """Read everything that leaves: answers, raw results, snapshots, mails, logs, the audit trail."""
    yield from (f"answer {answer.headers} {answer.text}" for answer in played.answers)
    yield from (f"raw result {dict(answer.headers)} {answer.body.decode()}" for answer in played.downloads)
    for key in stack.keys(stack.site_bucket, ""):
        stored = stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key=key)
        yield f"snapshot {key} {stored['Metadata']} {stored['Body'].read().decode()}"
    yield from (f"mail {text}" for _, text in look_inside().list_mails())
    yield from (f"log {json.dumps(line)}" for line in played.logged)
    yield from (f"trail {line.model_dump_json()}" for line in stack.trail.list_page(length=1000).entries)


def test_everything_that_leaves_is_read(stack: StackHarness, played: Played) -> None:
    """The two tests below look at answers, raw results, snapshots, mails, logs and the audit trail."""
    kinds = {text.partition(" ")[0] for text in read_handed_out(stack, played)}

    assert kinds == {"answer", "raw", "snapshot", "mail", "log", "trail"}


def test_nothing_that_is_kept_tells_an_address(stack: StackHarness, played: Played) -> None:
    """A thief of every table and bucket, without the stack's secret, cannot find a guest's address by trying."""
    assert played.answers

    assert [leak for origin in list_origins() for leak in find_all(origin, read_kept(stack))] == []


def test_nothing_that_leaves_tells_an_address(stack: StackHarness, played: Played) -> None:
    """Nothing that leaves the stack reveals an address, or separates two of them."""
    kept = [stack.submissions.find_submission(key) for key in filter(None, map(parse_result_key, stack.results()))]
    origins = {submission.origin for submission in kept if submission is not None and submission.origin is not None}

    traces = [*list_origins(), *origins]

    assert len(origins) == 1
    assert [leak for trace in traces for leak in find_all(trace, read_handed_out(stack, played))] == []


def test_nothing_that_leaves_tells_a_secret(stack: StackHarness, played: Played) -> None:
    """Tokens and receipts are shown only to their holders; their hashes to nobody."""
    traces = [form for secret in played.secrets for form in (secret, hash_secret(secret))]

    assert [leak for secret in traces for leak in find_all(secret, read_handed_out(stack, played))] == []
    assert [leak for secret in played.secrets for leak in find_all(secret, read_kept(stack))] == []
