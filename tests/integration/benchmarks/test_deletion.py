"""A benchmark to which nobody has submitted is deleted, whole; one with a submission never is."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from aggregate import rescore
from aggregate.dependencies import bundle_publisher
from api.benchmarks import archives as marks
from storage.actors import Role
from storage.audit import Action
from storage.benchmarks.publications import PublicationId, PublicationRequest, PublicationStatus
from storage.keys import BatchKey, incoming_key
from storage.players.tokens import Scope
from submit import dependencies
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import GOOD, Answer, Api, StackHarness, failing, make_benchmark
from tests.integration.benchmarks.test_archive import ask, run_schedule

JSON = {"Content-Type": "application/json"}
BOARDS = [{"id": "humans", "title": "Humans", "when": {"kind": "human"}}]
STAYS = (
    "audit/",
    "publish#tiny",
    "owner#tiny",
    "invitation#",
    "listed#",
    "quota#",
    "token#",
    "player#",
    "name#",
    "guest",
)
"""What stays: the trail, the numbers and owner of the id, links that are taken back, and what others have."""


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch, invoked: list[Any]) -> list[Any]:
    """Nobody waits for what accepts results."""
    monkeypatch.setattr(marks, "SETTLING", timedelta(0))
    monkeypatch.setattr(rescore, "PATIENCE_SECONDS", 0)
    return invoked


@pytest.fixture
def owner(stack: StackHarness) -> dict[str, str]:
    """The headers of an owner of a benchmark with two boards and a window, to which nobody has submitted."""
    stack.publish(make_benchmark(boards=BOARDS, windows=["daily"]))
    run_schedule()
    return stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))


def delete(api: Api, headers: dict[str, str], confirm: str = "tiny") -> Answer:
    """Ask for the deletion."""
    return ask(api, "deletion", {"confirm": confirm}, headers)


def archive(api: Api, owner: dict[str, str]) -> None:
    """Archive the benchmark, and let everybody know."""
    ask(api, "archive", {}, owner)
    run_schedule()


def kind(answer: Answer) -> tuple[int, str]:
    """Return the status and the name of a problem."""
    return answer.status, answer.body["type"].removeprefix("urn:laurel:problem:")


def list_left(stack: StackHarness) -> list[str]:
    """Return all that is stored with the benchmark's id, but for what stays."""
    keys = [*stack.keys(stack.results_bucket, ""), *stack.keys(stack.site_bucket, "")]
    items = [
        "/".join(next(iter(value.values())) for name, value in item.items() if name in {"key", "board", "item"})
        for table in ("AccessTable", "BoardsTable", "SubmissionsTable", "MailTable")
        for item in stack.items(table)
    ]
    return sorted(key for key in (*keys, *items) if "tiny" in key and not key.startswith(STAYS))


def test_deleted_whole(api: Api, stack: StackHarness, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command asks, the platform deletes: nothing is left, links and addresses of the invited included."""
    connect_commands(api, monkeypatch)
    token = owner["Authorization"].removeprefix("Bearer ")
    code = ask(api, "invite", {}, owner).body["code"]
    ask(api, "invite/mail", {"addresses": ["ada@example.org"]}, owner)
    ask(api, "ban", {"name": "Eve", "reason": "cheats"}, owner)
    archive(api, owner)
    before = list_left(stack)

    asked = laurel("delete", "tiny", "--confirm", "tiny", token=token)
    run_schedule()

    assert asked.stdout == "tiny is being deleted\n"
    assert "benchmarks/tiny/current.json" in before
    assert [key for key in list_left(stack) if not key.startswith("invitation#")] == []
    assert "ada@example" not in str(stack.items("AccessTable"))
    assert (stack.index().benchmarks, api.get("/api/benchmarks/tiny").status) == ((), 404)
    opened = api("POST", "/api/invitations/join", headers=JSON, body=json.dumps({"code": code, "name": "Ada"}).encode())
    assert opened.status in {404, 409}
    assert Action.DELETE in [entry.action for entry in stack.trail.list_page(length=1000).entries]


def test_who_may_delete_what(
    api: Api, stack: StackHarness, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Owners alone, of what is archived for long enough, and naming it again."""
    player = stack.issue_token(make_player("pia", "Pia"), Scope.SUBMIT)
    early = delete(api, owner)
    archive(api, owner)
    monkeypatch.setattr(marks, "SETTLING", timedelta(seconds=120))
    soon = delete(api, owner)
    monkeypatch.setattr(marks, "SETTLING", timedelta(0))

    assert [kind(early), kind(soon)] == [(409, "not-archived")] * 2
    assert [delete(api, headers).status for headers in (player, {})] == [403, 401]
    assert kind(delete(api, owner, "other")) == (422, "not-confirmed")
    run_schedule()
    assert api.get("/api/benchmarks/tiny").status == 200


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
def test_a_submission_keeps_the_benchmark(api: Api, stack: StackHarness, owner: dict[str, str], *, late: bool) -> None:
    """A result that is there when it is asked for, or when it is done, is kept with its benchmark."""
    knows_nothing = dependencies.services().terms
    accepted = [] if late else [api.post(GOOD, query={"player": "Ada"}).status]
    archive(api, owner)
    asked = delete(api, owner)
    if late:  # what accepted it knew the pointer of before for far too long
        knows_nothing.current("tiny")
        stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key="results/tiny/2026-01-01/x", Body=b"{}")
    run_schedule()

    assert (accepted, asked.status) == ([], 202) if late else ([202], 409)
    assert api.get("/api/benchmarks/tiny").status == 200
    assert "benchmarks/tiny/current.json" in list_left(stack)


def test_a_file_that_waits_keeps_the_benchmark(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """What was put into S3 and is not imported yet is a submission."""
    key = str(BatchKey("tiny", "heron", "a.json"))
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=key, Body=b"{}")
    archive(api, owner)

    assert kind(delete(api, owner)) == (409, "has-submissions")


def test_no_result_is_accepted_after_the_archive(api: Api, owner: dict[str, str]) -> None:
    """So none comes between the question and the end."""
    archive(api, owner)
    delete(api, owner)

    assert kind(api.post(GOOD, query={"player": "Ada"})) == (403, "archived")
    run_schedule()
    assert api.post(GOOD, query={"player": "Ada"}).status == 404


@pytest.mark.parametrize(
    "call",
    [
        ("s3", "DeleteObjects", "data/b/tiny"),
        ("s3", "DeleteObjects", "benchmarks/tiny"),
        ("s3", "DeleteObject", "current.json"),
        ("dynamodb", "DeleteItem", "tiny@"),
        ("dynamodb", "DeleteItem", "bans"),
        ("dynamodb", "PutItem", "owner#"),
    ],
    ids="-".join,
)
def test_a_death_halfway_is_made_up_for(
    api: Api, stack: StackHarness, owner: dict[str, str], call: tuple[str, str, str]
) -> None:
    """Whatever fails, the next run of the schedule ends it."""
    client, operation, about = call
    archive(api, owner)
    delete(api, owner)
    with failing(getattr(stack.cloud, client), operation, about=about) as refused, pytest.raises(ExceptionGroup):
        run_schedule()
    run_schedule()

    assert refused
    assert list_left(stack) == []


def test_undoing_the_archive_meanwhile(api: Api, owner: dict[str, str]) -> None:
    """After an undo nothing can be deleted; once a deletion was asked for, the archive cannot be undone."""
    archive(api, owner)
    undone = [ask(api, "archive", {"undo": True}, owner)]
    again = [kind(delete(api, owner))]
    archive(api, owner)
    delete(api, owner)
    undone += [ask(api, "archive", {"undo": True}, owner)]

    assert again == [(409, "not-archived")]
    assert (undone[0].status, kind(undone[1])) == (200, (409, "being-deleted"))


def test_another_benchmark_of_the_id(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """Its owner may use the id again, and a mark of before does not delete that; a stranger may not."""
    archive(api, owner)
    delete(api, owner)
    mark = next(item for item in stack.items("AccessTable") if item["key"]["S"] == "archive#tiny")
    run_schedule()
    publish = publisher(stack)

    stranger, own = publish("otto"), publish("olga")
    stack.cloud.dynamodb.put_item(TableName=stack.access.name, Item=mark)  # its deletion died at the last step
    run_schedule()  # archives by the mark
    run_schedule()

    assert (stranger, own) == (PublicationStatus.CONFLICT, PublicationStatus.PUBLISHED)
    assert api.get("/api/benchmarks/tiny").status == 200


def publisher(stack: StackHarness) -> Callable[[str], PublicationStatus]:
    """Return what publishes the benchmark as a new one for a player."""
    content = make_benchmark().pack()

    def publish(player: str) -> PublicationStatus:
        publication = PublicationId("tiny", player, "0" * 36)
        key = incoming_key("tiny", player, publication.id)
        stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=key, Body=content)
        return (
            bundle_publisher().publish(PublicationRequest(**publication._asdict(), role=Role.OWNER, replaces=0)).status
        )

    return publish
