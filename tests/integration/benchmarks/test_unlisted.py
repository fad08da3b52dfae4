"""Benchmarks that are not listed, and rules that are accepted before somebody joins."""

import pytest

from api.dependencies import services
from storage.players.tokens import Scope
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import Api, StackHarness, make_benchmark

RULES = "One account each; no answers by hand."


@pytest.fixture
def owner(stack: StackHarness) -> dict[str, str]:
    """An owner of a benchmark that is not listed, and has rules; another one is listed."""
    stack.publish(make_benchmark(id="public"))
    stack.publish(make_benchmark(listed=False, rules=RULES))
    return stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))


def listed(api: Api, query: str = "", headers: dict[str, str] | None = None) -> list[str]:
    """Return the ids of a list of benchmarks."""
    name, _, value = query.partition("=")
    answer = api("GET", "/api/benchmarks", query={name: value} if name else {}, headers=headers or {})
    return [each["id"] for each in answer.body["benchmarks"]]


def test_an_unlisted_benchmark_is_in_no_list(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """It is in no list, index, start page or page of a player, and answers at its address, to its owner in the list."""
    stack.aggregator.renderer.update_index(["public", "tiny"])
    stranger = stack.issue_token(make_player("otto", "Otto"), Scope.OWN, benchmarks=("public",))

    assert (listed(api), listed(api, "archived=true")) == (["public"], ["public"])
    assert (listed(api, "owned=true", owner), listed(api, "owned=true", stranger)) == (["tiny"], ["public"])
    assert api("GET", "/api/benchmarks", query={"owned": "true"}).status == 401
    assert [entry.id for entry in stack.index().benchmarks] == ["public"]
    keys = stack.keys(stack.site_bucket, "data/")
    assert "data/b/public/index.html" in keys
    assert "data/b/tiny/index.html" not in keys
    assert api.get("/api/benchmarks/tiny").body["title"] == "Tiny"


@pytest.mark.parametrize("path", ["/api/data/b/{}/index.html", "/api/data/b/{}/p/nobody"])
@pytest.mark.usefixtures("owner")
def test_search_engines_leave_out_what_is_not_listed(api: Api, path: str) -> None:
    """Its pages say so, those of a listed benchmark do not."""
    mark = '<meta name="robots" content="noindex">'

    pages = {name: api.get(path.format(name)) for name in ("tiny", "public")}

    assert {name: (page.status, mark in page.body) for name, page in pages.items()} == {
        "tiny": (200, True),
        "public": (200, False),
    }


def test_a_benchmark_that_is_hidden_again_leaves_the_lists(api: Api, stack: StackHarness) -> None:
    """Publishing with or without `listed: false` takes it off the index and its page, and brings it back."""
    shown = []
    for hidden in (False, True, False):
        stack.publish(make_benchmark(listed=not hidden))
        services().benchmarks.current("tiny", fresh=True)
        stack.aggregator.renderer.update_index(["tiny"])
        page = "data/b/tiny/index.html" in stack.keys(stack.site_bucket, "data/")
        shown.append((page, [entry.id for entry in stack.index().benchmarks], listed(api)))

    assert shown == [(True, ["tiny"], ["tiny"]), (False, [], []), (True, ["tiny"], ["tiny"])]


def test_an_erasure_names_no_unlisted_benchmark(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """A stranger who erases itself does not learn of it, though the mark of the erasure is there, too."""
    anna = stack.issue_token(make_player("anna", "Anna"), Scope.SUBMIT)

    erased = api.ask("/api/me/erasure", {"confirm": "anna"}, anna)

    assert (erased.status, erased.body["benchmarks"]) == (200, ["public"])
    assert "tiny" not in erased.text


def test_rules_are_accepted_before_a_token(api: Api, owner: dict[str, str]) -> None:
    """The link shows the rules; without accepting them nobody joins and no use is lost; the token keeps the time."""
    code = api.ask("/api/benchmarks/tiny/invite", {}, owner).body["code"]

    opened = api.ask("/api/invitations/open", {"code": code}).body
    refused = [
        api.ask("/api/invitations/join", {"code": code, "name": "Ada", **wish})
        for wish in ({}, {"accept_rules": False})
    ]
    wrong = api.ask("/api/invitations/join", {"code": code, "name": "Ada", "accept_rules": "yes"})
    joined = api.ask("/api/invitations/join", {"code": code, "name": "Ada", "accept_rules": True})

    assert opened["rules"] == {"tiny": RULES}
    assert [answer.body["type"] for answer in refused] == ["urn:laurel:problem:rules-not-accepted"] * 2
    assert RULES in refused[0].body["detail"]
    assert (wrong.status, joined.status) == (422, 201)
    assert joined.body["token"]["rules_accepted_at"] == joined.body["token"]["created_at"]


def test_command_joins_if_the_rules_are_accepted(
    api: Api, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`laurel join` names the rules' option; with it the token is printed and keeps the time."""
    code = api.ask("/api/benchmarks/tiny/invite", {}, owner).body["code"]
    connect_commands(api, monkeypatch)

    refused = laurel("join", f"https://laurel.example/join#{code}", "--name", "Ada")
    joined = laurel("join", f"https://laurel.example/join#{code}", "--name", "Ada", "--accept-rules")

    assert RULES in str(refused.exception)
    assert (joined.exit_code, "laurel_" in joined.stdout) == (0, True), joined.output


def test_a_token_for_a_benchmark_without_rules_keeps_no_time(api: Api, stack: StackHarness) -> None:
    """Accepting what is not there is no acceptance; a member of a player accepts the rules of what it covers."""
    stack.publish(make_benchmark())
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))
    code = api.ask("/api/benchmarks/tiny/invite", {}, owner).body["code"]
    joined = api.ask("/api/invitations/join", {"code": code, "name": "Ada", "accept_rules": True}).body
    token = {"Authorization": f"Bearer {joined['secret']}"}
    member = api.ask("/api/invitations", {}, token).body["code"]
    stack.publish(make_benchmark(rules="https://example.org/rules"))
    services().benchmarks.current("tiny", fresh=True)

    refused = api.ask("/api/invitations/join", {"code": member, "name": "Bo"})

    assert joined["token"]["rules_accepted_at"] is None
    assert refused.body["type"] == "urn:laurel:problem:rules-not-accepted"
