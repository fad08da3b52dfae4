"""Uploads: who may upload what, and the status until all entries are scored."""

import csv
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

import pytest

from api.submissions import withdrawals
from evaluate import queue
from storage.actors import Actor, Role
from storage.benchmarks.owners import OwnerStore
from storage.keys import make_submission_id
from storage.players.tokens import Scope
from storage.submissions.decisions import Withdrawal
from storage.submissions.models import PlayerKind
from submit import batches
from tests.harness.command_line import connect_commands, laurel
from tests.harness.engine import look_inside
from tests.harness.factories import make_player
from tests.harness.stack import (
    GOOD,
    PLAYS,
    Answer,
    Api,
    StackHarness,
    make_benchmark,
    make_context,
)

LINE = json.dumps(GOOD).encode()
NO_FAILURES: Any = {"batchItemFailures": []}


@pytest.fixture(autouse=True)
def published(stack: StackHarness) -> None:
    """The tiny benchmark; Ada and Bob, who may submit, and an owner."""
    stack.publish(make_benchmark())
    for name, scope in (("ada", Scope.SUBMIT), ("bob", Scope.SUBMIT), ("olga", Scope.OWN)):
        player = make_player(name, name.title(), PlayerKind.MODEL)
        stack.issue_token(player, scope, benchmarks=("tiny",), secret=f"laurel_{name}")


def ask(api: Api, body: Any, *, caller: str | None = "ada", benchmark: str = "tiny") -> Answer:
    """Ask for an upload."""
    headers = {"Authorization": f"Bearer laurel_{caller}"} if caller else {}
    return api.ask(f"/api/benchmarks/{benchmark}/uploads", body, headers)


def look(api: Api, upload: str, *, caller: str | None = "ada", **query: str) -> Answer:
    """Look at an upload."""
    headers = {"Authorization": f"Bearer laurel_{caller}"} if caller else {}
    return api("GET", f"/api/benchmarks/tiny/uploads/{upload}", query=query, headers=headers)


def test_upload_form_allows_one_file(api: Api, stack: StackHarness) -> None:
    """The form is for one key, one size and one type, and for 15 minutes."""
    with look_inside().signing() as signed:
        answer = ask(api, {"bytes": 12, "filename": "../my runs.JSONL"})

    ticket = answer.body
    (form,) = signed
    key = f"drops/tiny/ada/{ticket['upload']}/_my_runs.jsonl"
    assert answer.status == 201
    assert answer.headers["location"] == ticket["status_url"] == f"/api/benchmarks/tiny/uploads/{ticket['upload']}"
    assert ticket["fields"]["key"] == form["Key"] == key
    assert (form["Bucket"], form["ExpiresIn"]) == (stack.results_bucket, 900)
    assert form["Conditions"] == [{"Content-Type": "application/jsonl"}, ["content-length-range", 12, 12]]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "body"),
        ({"bytes": 1}, 422, "/filename"),
        ({"bytes": "1", "filename": "a.json"}, 422, "/bytes"),
        ({"bytes": 0, "filename": "a.json"}, 422, "/bytes"),
        ({"bytes": 1_048_577, "filename": "a.json"}, 422, "expected 1 to 1048576 bytes"),
        ({"bytes": 1_000_000_001, "filename": "a.zip"}, 422, "expected 1 to 1000000000 bytes"),
        ({"bytes": 1, "filename": "a.csv"}, 422, "ends in .json, .jsonl, .zip"),
        ({"bytes": 1, "filename": "a.json", "more": 1}, 422, "/more"),
        ({"bytes": 1, "filename": "a" * 20_000}, 413, "10000"),
    ],
)
def test_bad_upload_request_is_rejected(api: Api, body: Any, status: int, message: str) -> None:
    """A bad request is rejected with its place."""
    answer = ask(api, body)

    assert answer.status == status
    assert message in answer.text


def test_uploads_have_a_quota(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player gets so many forms a day; a rejected request costs none, and others get theirs."""
    monkeypatch.setattr("submit.uploads.MAX_TICKETS_PER_DAY", 3)
    refused = [ask(api, {"bytes": 0, "filename": "a.json"}).status for _ in range(5)]
    given = [ask(api, {"bytes": 1, "filename": "a.json"}).status for _ in range(5)]
    before = stack.left_behind()

    answer = ask(api, {"bytes": 1, "filename": "a.json"})

    assert (refused, given) == ([422] * 5, [201] * 3 + [429] * 2)
    assert (answer.status, answer.body["type"]) == (429, "urn:laurel:problem:quota-exhausted")
    assert "3 files a day" in answer.body["detail"]
    assert 0 < int(answer.headers["retry-after"]) <= 86_400
    assert stack.left_behind() == before
    assert ask(api, {"bytes": 1, "filename": "a.json"}, caller="bob").status == 201


@pytest.mark.parametrize(("days", "status"), [(29, 200), (31, 404)])
def test_an_upload_is_forgotten(api: Api, days: int, status: int) -> None:
    """An upload older than any stored file is not found, rather than still expected."""
    upload = make_submission_id(datetime.now(UTC) - timedelta(days=days), bytes(10))

    assert look(api, upload).status == status


def test_benchmark_with_run_tickets_takes_no_files(api: Api, stack: StackHarness) -> None:
    """Neither by a form nor directly: each result needs the ticket of its play."""
    stack.publish(make_benchmark(PLAYS))
    headers = stack.issue_token(make_player("ada", "Ada"), Scope.SUBMIT)

    answer = api.ask("/api/benchmarks/plays/uploads", {"bytes": 9, "filename": "a.json"}, headers)
    key = "drops/plays/ada/runs.jsonl"
    put = stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=key, Body=b'{"coins": 5, "time": 2.5}\n')
    record = {"s3": {"object": {"key": key, "versionId": put["VersionId"]}}}
    done = batches.lambda_handler(
        {
            "Records": [
                {
                    "messageId": "1",
                    "body": json.dumps({"Records": [record]}),
                    "receiptHandle": "1",
                    "attributes": {"ApproximateReceiveCount": "1"},
                }
            ]
        },
        make_context(),
    )
    (report,) = [stack.read_json(key) for key in stack.keys(stack.results_bucket, "reports/plays/")]

    assert (answer.status, answer.body["type"]) == (422, "urn:laurel:problem:ticket-needed")
    assert done == NO_FAILURES
    assert (report["state"], report["entries"][0]["error"]) == ("quarantined", answer.body["detail"])
    assert stack.results() == []


@pytest.mark.usefixtures("stack")
def test_list_of_batches_says_what_failed(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch with entries without a score is not listed as if all were well; what is refused is counted apart."""
    connect_commands(api, monkeypatch)
    invalid = b'{"question": "9", "text": "TR-V017-1"}'
    upload(api, stack, b"\n".join((LINE, invalid, invalid, b"{", b"")), "some.jsonl")
    upload(api, stack, LINE, "good.json")

    listed = api("GET", "/api/benchmarks/tiny/batches", headers={"Authorization": "Bearer laurel_ada"}).body["batches"]
    shown = laurel("report", "tiny", token="laurel_ada").output

    counts = ("entries", "refused", "invalid", "evaluator_error", "internal_error")
    assert {card["file"]: [card[name] for name in counts] for card in listed} == {
        "some.jsonl": [4, 1, 2, 0, 0],
        "good.json": [1, 0, 0, 0, 0],
    }
    assert [line.split()[-4:] for line in shown.splitlines() if "some.jsonl" in line] == [
        ["2", "invalid,", "1", "refused"]
    ]


def test_from_upload_to_scores(api: Api, stack: StackHarness) -> None:
    """An upload waits, is processed, is scored and is done, and each entry is shown."""
    content = LINE + b'\n{"question": "9", "text": "TR-V017-1"}\n{\n'
    ticket = ask(api, {"bytes": len(content), "filename": "runs.jsonl"}).body
    seen = [look(api, ticket["upload"]).body]
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=ticket["fields"]["key"], Body=content)
    seen.append(look(api, ticket["upload"]).body)
    drain(stack, batches.lambda_handler, "DropQueue", "DropFunction")
    seen.append(look(api, ticket["upload"]).body)
    drain(stack, queue.lambda_handler, "EvaluateQueue", "EvaluateFunction")

    done = look(api, ticket["upload"]).body

    assert [view["status"] for view in seen] == ["waiting", "processing", "scoring"]
    assert (seen[2]["queued"], seen[2]["refused"]) == (2, 1)
    counts = {name: done[name] for name in ("entries", "scored", "invalid", "refused", "queued")}
    assert done["status"] == "done"
    assert counts == {"entries": 3, "scored": 1, "invalid": 1, "refused": 1, "queued": 0}
    listed = list_entries(api, ticket["upload"])
    assert [entry["status"] for entry in listed] == ["scored", "invalid", "refused"]
    assert [entry["entry"] for entry in listed] == ["line 1", "line 2", "line 3"]
    assert (done["file"], done["received_at"][:2]) == ("runs.jsonl", "20")
    assert [entry["best"] for entry in listed] == [True, False, False]
    assert (listed[0]["best"], listed[0]["part"], listed[0]["batch"]) == (True, "1", done["drop"])
    assert listed[0]["scores"].keys() == {"score"}
    assert listed[1]["scores"] is None
    assert [bool(entry["message"]) for entry in listed] == [False, True, True]
    assert list_entries(api, done["drop"], outcome="failed") == listed[1:]
    assert list_entries(api, done["drop"], outcome="invalid") == listed[1:2]
    assert look(api, done["drop"]).body["scored"] == 1


def ask_entries(api: Api, batch: str, *, caller: str = "ada", **query: str) -> Answer:
    """List the entries of a batch."""
    headers = {"Authorization": f"Bearer laurel_{caller}"}
    return api("GET", "/api/benchmarks/tiny/submissions", query={"batch": batch, **query}, headers=headers)


def list_entries(api: Api, batch: str, *, caller: str = "ada", **query: str) -> list[dict[str, Any]]:
    """Return the entries of a batch."""
    return list(ask_entries(api, batch, caller=caller, **query).body["submissions"])


def upload(api: Api, stack: StackHarness, content: bytes, name: str = "runs.jsonl", *, caller: str = "ada") -> str:
    """Upload a file, and score what is in it."""
    ticket = ask(api, {"bytes": len(content), "filename": name}, caller=caller).body
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=ticket["fields"]["key"], Body=content)
    drain(stack, batches.lambda_handler, "DropQueue", "DropFunction")
    drain(stack, queue.lambda_handler, "EvaluateQueue", "EvaluateFunction")
    return str(ticket["upload"])


def test_batches_are_listed_and_reported_by_command(
    api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that came by S3 alone is listed; its report has counts and what failed, its list the best run."""
    connect_commands(api, monkeypatch)
    content = LINE.replace(b"5001", b"9001") + b"\n" + LINE + b"\n{\n"
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key="drops/tiny/ada/all/mine.jsonl", Body=content)
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key="drops/tiny/ada/picture.png", Body=b"x")
    upload(api, stack, LINE, "a.json")

    listed = json.loads(laurel("report", "tiny", "--json", token="laurel_ada").output)
    (batch,) = [card["drop"] for card in listed if card["file"] == "mine.jsonl"]
    shown = laurel("report", "tiny", batch, token="laurel_ada")
    arguments = ("submissions", "tiny", "--batch", batch)
    table = laurel(*arguments, "--csv", token="laurel_ada").output
    entries = laurel(*arguments, token="laurel_ada").output
    of_owner = laurel("report", "tiny", "--player", "ada", token="laurel_olga")
    of_other = laurel("report", "tiny", batch, token="laurel_bob")

    assert {card["file"]: (card["state"], card["entries"], card["refused"]) for card in listed} == {
        "mine.jsonl": ("received", 3, 1),
        "picture.png": ("quarantined", 0, 0),
        "a.json": ("received", 1, 0),
    }
    assert (shown.exit_code, of_other.exit_code) == (1, 1)
    assert "2 scored · 1 refused" in shown.output
    assert "refused line 3: expected JSON: " in shown.output
    assert [row["entry"] for row in csv.DictReader(table.splitlines())] == ["line 1", "line 2", "line 3"]
    assert [line.strip()[0] for line in entries.splitlines() if "UTC" in line] == ["2", "★", "2"]
    assert "quarantined: expected a name that ends in .json, .jsonl, .zip" in of_owner.output
    assert "no file has arrived under this id" in of_other.output


def withdrawn_on_board(stack: StackHarness) -> list[str]:
    """Return which reasons the board shows, newest first."""
    return [notice.reason for notice in stack.head("tiny").notices]


def test_batch_is_withdrawn_and_restored_as_a_whole(
    api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a batch leaves the board and comes back, but for what was withdrawn by itself, by several requests."""
    connect_commands(api, monkeypatch)
    monkeypatch.setattr(withdrawals, "MAX_AT_ONCE", 1)
    batch = upload(api, stack, LINE + b"\n" + LINE.replace(b"5001", b"9001") + b"\n" + LINE + b"\n{\n")
    first, second, third = [entry["submission"] for entry in list_entries(api, batch)[:3]]
    by_itself = laurel("withdraw", "tiny", third, "--reason", "typed wrong", token="laurel_ada")
    stack.follow_all()
    before = stack.head("tiny").counts.submissions

    done = laurel("withdraw", "tiny", batch, "--reason", "wrong checkpoint", token="laurel_ada")
    again = laurel("withdraw", "tiny", batch, "--reason", "another", token="laurel_ada")
    stack.follow_all()
    gone, reasons, report = stack.head("tiny").total, withdrawn_on_board(stack), look(api, batch).body
    listed = list_entries(api, batch)
    status = laurel("status", "tiny", first, token="laurel_ada").output
    by_owner = laurel("withdraw", "tiny", batch, "--undo", "--player", "ada", token="laurel_olga")
    undone = laurel("withdraw", "tiny", batch, "--undo", token="laurel_ada")
    stack.follow_all()
    single = laurel("withdraw", "tiny", third, "--undo", token="laurel_ada")
    stack.follow_all()
    placed = laurel("status", "tiny", third, token="laurel_ada").output

    assert (by_itself.exit_code, before, gone) == (0, 2, 0)
    assert "2 submissions of batch" in done.output
    assert "0 submissions of batch" in again.output
    assert reasons == ["wrong checkpoint", "wrong checkpoint", "typed wrong"]
    assert (report["withdrawn"], listed[0]["best"], bool(listed[0]["withdrawn"])) == (3, False, True)
    assert "(player): wrong checkpoint" in status
    assert "rank" not in status
    assert "it was withdrawn in the role `player`" in str(by_owner.exception)
    assert "2 submissions of batch" in undone.output
    assert (single.exit_code, "rank 1 of 1" in placed, withdrawn_on_board(stack)) == (0, True, [])
    assert stack.head("tiny").counts.submissions == 3
    assert look(api, batch).body["withdrawn"] == 0
    assert laurel("withdraw", "tiny", second, "--reason", "again", token="laurel_ada").exit_code == 0
    stack.follow_all()
    assert (stack.head("tiny").counts.submissions, withdrawn_on_board(stack)) == (2, ["again"])


def test_player_cannot_undo_what_an_owner_withdrew_too(
    api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A withdrawal by the owner replaces the player's earlier one, with a batch and by itself, and not the reverse."""
    connect_commands(api, monkeypatch)
    batch = upload(api, stack, LINE + b"\n" + LINE + b"\n")
    first, second = [entry["submission"] for entry in list_entries(api, batch)]
    laurel("withdraw", "tiny", batch, "--reason", "all of it", token="laurel_ada")
    with monkeypatch.context() as few:
        few.setattr(withdrawals, "MAX_AT_ONCE", 1)
        olga, path = {"Authorization": "Bearer laurel_olga"}, f"/api/benchmarks/tiny/uploads/{batch}/withdrawal"
        owned = api.ask(path, {"reason": "copied"}, olga, query={"player": "ada"})

    together = laurel("withdraw", "tiny", batch, "--undo", token="laurel_ada")
    alone = laurel("withdraw", "tiny", first, "--undo", token="laurel_ada")
    laurel("withdraw", "tiny", second, "--reason", "mine", token="laurel_ada")
    laurel("withdraw", "tiny", second, "--reason", "copied, too", token="laurel_olga")
    repeated = laurel("withdraw", "tiny", second, "--reason", "mine", token="laurel_ada")
    late = laurel("withdraw", "tiny", second, "--undo", token="laurel_ada")

    assert (owned.body["changed"], owned.body["left"]) == (1, 1)
    assert "1 submission of batch" in together.output
    assert "it was withdrawn in the role `owner`" in str(alone.exception)
    assert "it was withdrawn in the role `owner`" in str(late.exception)
    assert "copied, too" in repeated.output
    reasons = [each.reason for _, each in sorted(stack.withdrawals.find_all("tiny", [first, second]).items())]
    assert sorted(reasons) == ["copied", "copied, too"]


def test_owner_who_plays_undoes_what_they_withdrew_in_either_role(api: Api, stack: StackHarness) -> None:
    """Of the caller's roles the one counts that the act needs: with a batch, by itself, and for an administrator."""
    olga = make_player("olga", "Olga")
    played = stack.issue_token(olga, Scope.SUBMIT, benchmarks=("tiny",))
    owned = stack.issue_token(olga, Scope.OWN, benchmarks=("tiny",))
    both = stack.issue_token(olga, Scope.OWN, Scope.SUBMIT, benchmarks=("tiny",))
    admin = stack.issue_token(olga, Scope.ADMIN, Scope.SUBMIT)
    batch = upload(api, stack, LINE + b"\n" + LINE + b"\n", caller="olga-submit-tiny")
    first, second = [entry["submission"] for entry in list_entries(api, batch, caller="olga-submit-tiny")]

    def act(path: str, headers: Mapping[str, str], body: Any = None) -> Answer:
        query = {"player": "olga"} if "uploads" in path else {}
        return api.ask(f"/api/benchmarks/tiny/{path}", body, headers, query=query)

    def withdraw(path: str, headers: Mapping[str, str]) -> None:
        assert act(f"{path}/withdrawal", headers, {"reason": "mine"}).status == HTTPStatus.OK

    def undo(path: str, headers: Mapping[str, str]) -> int:
        return act(f"{path}/withdrawal", headers, {"undo": True}).status

    withdraw(f"submissions/{first}", owned)
    denied, undone = undo(f"submissions/{first}", played), undo(f"submissions/{first}", both)
    withdraw(f"submissions/{first}", owned)
    undone_by_admin = undo(f"submissions/{first}", admin)
    withdraw(f"uploads/{batch}", owned)
    denied_batch, undone_batch = undo(f"uploads/{batch}", played), undo(f"uploads/{batch}", both)

    assert (denied, undone, undone_by_admin, denied_batch, undone_batch) == (403, 200, 200, 403, 200)
    assert stack.withdrawals.find_all("tiny", [first, second]) == {}
    undoers = [line.actor.role for line in stack.trail.list_page(length=1000).entries if "undo" in (line.detail or {})]
    assert sorted(undoers) == ["admin", "owner", "owner"]


def test_history_names_files_for_those_who_may_see_them(
    api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player's history has the names of entries with a token alone."""
    connect_commands(api, monkeypatch)
    batch = look(api, upload(api, stack, LINE.replace(b"5001", b"9001") + b"\n" + LINE + b"\n{}\n")).body["drop"]
    stack.follow_all()

    own = json.loads(laurel("submissions", "tiny", "--player", "ada", "--json", token="laurel_ada").output)
    shown = laurel("submissions", "tiny", "--player", "ada", "--limit", "2", token="laurel_olga")
    public = api("GET", "/api/benchmarks/tiny/submissions", query={"player": "ada"})
    other = laurel("submissions", "tiny", "--player", "ada", token="laurel_bob")

    assert sorted((line["entry"], line["status"]) for line in own) == [
        ("line 1", "scored"),
        ("line 2", "scored"),
        ("line 3", "invalid"),
    ]
    assert {line["batch"] for line in own} == {batch}
    assert sum("UTC" in line for line in shown.output.splitlines()) == 2
    assert "line 1" not in public.text + other.output
    assert batch not in public.text


def test_scores_in_review_are_for_owners(api: Api, stack: StackHarness) -> None:
    """A player reads of an entry that it waits, and its owner the scores."""
    stack.publish(make_benchmark(review="score > 70"))
    batch = upload(api, stack, LINE)

    (own,), (of_owner,) = list_entries(api, batch), list_entries(api, batch, caller="olga", player="ada")

    assert (own["status"], own["scores"]) == ("in_review", None)
    assert (of_owner["status"], of_owner["scores"].keys()) == ("in_review", {"score"})


def test_other_lists_are_rejected_with_those_there_are(api: Api) -> None:
    """What goes together is said in a sentence, also to an owner, whose token reads every list."""
    headers, named = {"Authorization": "Bearer laurel_olga"}, ("player=ada", "batch=x", "outcome=failed")
    queries = [*(f"{each}&in_review=true" for each in named), "player=ada&outcome=failed"]
    for query in (dict(pair.split("=") for pair in text.split("&")) for text in queries):
        answer = api("GET", "/api/benchmarks/tiny/submissions", query=query, headers=headers)
        assert answer.status == 422, query
        assert answer.body["detail"].startswith("expected `player`, `batch`, `outcome`, `in_review=true` or none of")


def test_withdrawal_is_undone_within_an_hour(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later it is for good, of a batch and of one submission; a batch that is not there is not found."""
    connect_commands(api, monkeypatch)
    batch = look(api, upload(api, stack, LINE)).body
    (submission,) = [entry["submission"] for entry in list_entries(api, batch["upload"])]
    actor = Actor(id="ada", role=Role.PLAYER)
    late = datetime.now(UTC) - timedelta(minutes=61)
    stack.withdrawals.put(Withdrawal("tiny", submission, "too bad", late, actor, batch=batch["drop"]))

    refused = [laurel("withdraw", "tiny", id_, "--undo", token="laurel_ada") for id_ in (submission, batch["drop"])]
    absent = laurel("withdraw", "tiny", make_submission_id(late, bytes(10)), "--reason", "x", token="laurel_ada")

    assert ["that can be undone for an hour" in str(done.exception) for done in refused] == [True, True]
    assert stack.withdrawals.find("tiny", submission=submission) is not None
    assert str(absent.exception).endswith("there is no such upload")


def test_who_may_look(api: Api) -> None:
    """Its player sees an upload, and an owner who names the player; for anybody else it is not there."""
    upload = ask(api, {"bytes": 1, "filename": "a.json"}).body["upload"]

    assert look(api, upload).status == look(api, upload, caller="olga", player="ada").status == 200
    assert look(api, upload, caller="bob", player="ada").status == look(api, "x").status == 404
    assert look(api, upload, caller=None).status == 401


def test_creator_of_a_benchmark_looks_as_its_owner(api: Api, stack: StackHarness) -> None:
    """The creator of a benchmark with the scope `organise` sees its batches and results; no other organiser does."""
    submission = list_entries(api, batch := upload(api, stack, LINE))[0]["submission"]
    creator, other = (
        stack.issue_token(make_player(name, name.title(), PlayerKind.MODEL), Scope.ORGANISE) for name in ("zoe", "kim")
    )
    OwnerStore(stack.access).claim("tiny", player="zoe")

    def statuses(headers: dict[str, str]) -> list[int]:
        found = api("GET", f"/api/benchmarks/tiny/uploads/{batch}", query={"player": "ada"}, headers=headers)
        return [found.status, api.get(f"/api/benchmarks/tiny/submissions/{submission}/result", headers=headers).status]

    assert (statuses(creator), statuses(other)) == ([200, 303], [404, 404])


def test_entries_of_an_upload_are_paged(api: Api, stack: StackHarness) -> None:
    """Entries are paged; an invalid cursor is rejected."""
    content = b"{\n" * 150
    ticket = ask(api, {"bytes": len(content), "filename": "runs.jsonl"}).body
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=ticket["fields"]["key"], Body=content)
    drain(stack, batches.lambda_handler, "DropQueue", "DropFunction")

    report = look(api, ticket["upload"]).body
    first = ask_entries(api, ticket["upload"], limit="100")
    second = ask_entries(api, ticket["upload"], limit="100", cursor=first.body["next"])
    wrong = [ask_entries(api, ticket["upload"], cursor=cursor).status for cursor in ("-1", "x", first.body["next"][1:])]

    assert (len(first.body["submissions"]), len(second.body["submissions"])) == (100, 50)
    assert (second.body["next"], wrong) == (None, [400] * 3)
    assert report["refused"] == 150


def test_rejected_file_is_shown_as_quarantined(api: Api, stack: StackHarness) -> None:
    """What was let in by its size and name is checked again when it has come."""
    ticket = ask(api, {"bytes": 3, "filename": "runs.zip"}).body
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=ticket["fields"]["key"], Body=b"[1]")
    drain(stack, batches.lambda_handler, "DropQueue", "DropFunction")

    view = look(api, ticket["upload"]).body

    assert (view["status"], view["state"], view["entries"]) == ("done", "quarantined", 0)
    (refused,) = list_entries(api, ticket["upload"])
    assert (refused["status"], refused["message"][:14]) == ("refused", "expected a ZIP")


def drain(stack: StackHarness, handler: Any, queue_id: str, function: str) -> None:
    """Handle what waits in a queue."""
    poller = stack.queue_poller(handler, queue=queue_id, function=function)
    while poller.deliver():
        pass
