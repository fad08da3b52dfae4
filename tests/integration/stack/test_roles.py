"""The wall between functions and AWS: what a role does not allow is refused, and a test that met it fails."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from local.template import Template
from storage.gateway import clients
from storage.players.tokens import Scope
from tests.harness import role_wall as wall
from tests.harness.factories import make_player
from tests.harness.role_calls import Requests
from tests.harness.role_wall import RoleWall, list_unneeded
from tests.harness.roles import Right, Roles
from tests.harness.stack import Answer, Api, StackHarness, make_benchmark

TABLE = "laurel-local-accesstable"
QUEUE = "https://sqs.us-east-1.amazonaws.com/123456789012/laurel-local-mailqueue"
_MANY = {"RequestItems": {TABLE: {"Keys": [{"key": {"S": "quota#a"}}, {"key": {"S": "token#a"}}]}}}


def put(*keys: str) -> dict[str, Any]:
    """Return a transaction of puts."""
    return {"TransactItems": [{"Put": {"TableName": TABLE, "Item": {"key": {"S": key}}}} for key in keys]}


def update(*names: str) -> dict[str, Any]:
    """Return an update of attributes of a submission record."""
    key = {name: {"S": "a"} for name in ("benchmark", "submission_version")}
    named = {f"#{name}": name for name in names}
    request = {"UpdateExpression": "SET", "ExpressionAttributeNames": named}
    return {"TableName": "laurel-local-submissionstable", "Key": key, **request}


def query(index: str, attribute: str) -> dict[str, Any]:
    """Return a query of an index of the submission records."""
    named = {"ExpressionAttributeNames": {"#key": attribute}, "ExpressionAttributeValues": {":key": {"S": "a"}}}
    request = {"KeyConditionExpression": "#key = :key", "IndexName": index}
    return {"TableName": "laurel-local-submissionstable", **named, **request}


def an_object(key: str, bucket: str = "results", **more: str) -> dict[str, Any]:
    """Return a request for an object."""
    return {"Bucket": f"laurel-local-{bucket}-123456789012-us-east-1", "Key": key, **more}


@pytest.mark.parametrize(
    ("role", "operation", "request_", "allowed"),
    [
        ("ApiRole", "TransactWriteItems", put("name#a", "token#a"), True),
        ("ApiRole", "TransactWriteItems", put("name#a", "publish#a"), False),
        ("ApiRole", "BatchGetItem", _MANY, True),
        ("SendRole", "BatchGetItem", _MANY, False),
        ("ApiRole", "UpdateItem", update("withdrawn_at", "reason"), True),
        ("ApiRole", "UpdateItem", update("withdrawn_at", "outcome"), False),
        ("ApiRole", "Query", query("by_player", "benchmark_player"), True),
        ("AggregateRole", "Query", query("by_player", "benchmark_player"), False),
        ("RescoreRole", "UpdateItem", update("accepted"), True),
        ("RescoreRole", "UpdateItem", update("accepted", "outcome"), False),
        ("SubmitRole", "Scan", {"TableName": TABLE}, False),
        ("SubmitRole", "GetObject", an_object("benchmarks/a/current.json"), True),
        ("SubmitRole", "GetObject", an_object("benchmarks/a/b.zip"), False),
        ("SubmitRole", "PutObject", an_object("results/a/b"), True),
        ("ApiRole", "PutObject", an_object("results/a/b"), False),
        ("DropRole", "HeadObject", an_object("drops/a", VersionId="1"), True),
        ("DropRole", "HeadObject", an_object("drops/a"), False),
        ("SubmitRole", "ListObjectsV2", an_object("", "site", Prefix="data/b/"), True),
        ("SubmitRole", "ListObjectsV2", an_object("", "site", Prefix=""), False),
        ("SendRole", "SendMessageBatch", {"QueueUrl": QUEUE}, True),
        ("SweepRole", "SendMessage", {"QueueUrl": QUEUE}, False),
        ("ScriptRole", "Invoke", {"FunctionName": "laurel-local-sandbox-plain"}, True),
        ("ApiRole", "Invoke", {"FunctionName": "laurel-local-sandbox"}, False),
    ],
)
def test_requests_are_judged_by_the_policies(
    template: Template, role: str, operation: str, request_: Mapping[str, Any], *, allowed: bool
) -> None:
    """By action, table, index, key, attribute, object, version, prefix, queue and function."""
    roles = Roles(template)

    calls = list(Requests(template).list_calls(operation, request_))

    assert all(roles.find(role, call) is not None for call in calls) is allowed


def test_what_two_rights_allow_needs_neither(template: Template) -> None:
    """Else a right that can go would count as needed; each alone, the call needs it."""
    roles = Roles(template)
    (call,) = Requests(template).list_calls("PutObject", an_object("results/tiny/a"))
    (needed,) = roles.find("SubmitRole", call) or frozenset()

    roles._by_action["SubmitRole", needed.action].append({"Action": needed.action, "Resource": f"{needed.resource}*"})

    assert roles.find("SubmitRole", call) == frozenset()


type Ask = Callable[[Api, dict[str, str]], Answer]
UNKNOWN = "/api/benchmarks/tiny/submissions/01a2aa71-4bf1-7cfb-8b6e-d2abc6a0b7c1"
UPLOAD = {"bytes": 1, "filename": "a.json"}


@pytest.mark.parametrize(
    ("who", "refused", "ask"),
    [
        ("Submit", "dynamodb:UpdateItem", lambda api, _: api.post()),
        ("Api", "s3:ListBucket", lambda api, _: api.get(UNKNOWN)),
        ("Submit", "s3:PutObject", lambda api, player: api.ask("/api/benchmarks/tiny/uploads", UPLOAD, player)),
        ("Api", "s3:GetObject", lambda api, _: api.get("/api/players/p123")),
    ],
    ids=["item", "missing object", "signed form", "threads"],
)
def test_call_without_a_right_is_refused_and_named(
    api: Api,
    stack: StackHarness,
    role_wall: RoleWall,
    monkeypatch: pytest.MonkeyPatch,
    *,
    who: str,
    refused: str,
    ask: Ask,
) -> None:
    """Also the search for an object that does not exist, the signature of a form, and what threads ask for."""
    for name in ("tiny", "twin"):
        stack.publish(make_benchmark(id=name, title=name))
    player = stack.issue_token(make_player(), Scope.SUBMIT)
    find = Roles.find
    monkeypatch.setattr(Roles, "find", lambda *asked: None if asked[2].action == refused else find(*asked))

    answer = ask(api, player)

    named, role_wall.refused = role_wall.refused, []
    assert answer.status == 500
    assert named[0].startswith(f"{who}Role of {who}Function lacks {refused} on arn:aws:")


def test_calls_of_a_test_need_no_role(stack: StackHarness, role_wall: RoleWall) -> None:
    """What no function does is no function's, although the client is."""
    clients.gateway().tables.scan(TableName=stack.access.name)

    assert not role_wall.refused


def test_rights_that_nothing_used_are_listed(template: Template, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each but those that AWS itself needs."""
    rights = Roles(template).list_rights()
    spare = Right("SubmitRole", "dynamodb:Scan", "arn:aws:dynamodb:us-east-1:123456789012:table/a")
    monkeypatch.setattr(wall, "USED", {right for right in rights if not right.action.startswith("logs:")})

    assert list_unneeded(rights | {spare}) == [spare]
