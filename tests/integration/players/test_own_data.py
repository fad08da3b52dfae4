"""One's own data: a player over all benchmarks, the export, and the erasure, by each caller and at any time."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from api.players import own_data
from storage.audit import Action
from storage.benchmarks.rescores import ask_rescore
from storage.flags import FlagStore
from storage.gateway.errors import Conflict
from storage.keys import utc_now
from storage.players.tokens import Scope
from tests.harness.factories import make_player
from tests.harness.stack import GOOD, TRUTH, Answer, Api, StackHarness, make_benchmark

NAME = "Zoë Quartz"
QUERY = {"player": NAME}
KEYS = [f"player_{digit * 32}" for digit in "12"]
OWN, OTHER = ({"Laurel-Player-Key": key} for key in KEYS)
ERASED = "urn:laurel:problem:erased"
IRIS = make_player("iris", "Iris Vega")

pytestmark = pytest.mark.usefixtures("two")


@pytest.fixture
def two(stack: StackHarness) -> None:
    """Two benchmarks."""
    for name in ("tiny", "twin"):
        stack.publish(make_benchmark(id=name, title=name.title()))


def read_export(api: Api, headers: Mapping[str, str], **query: str) -> Answer:
    """Read what is kept of a player."""
    return api("GET", "/api/me/export", headers=headers, query=query)


def erase(api: Api, headers: Mapping[str, str], confirm: str, **query: str) -> Answer:
    """Ask to erase a player."""
    return api.ask("/api/me/erasure", {"confirm": confirm}, headers, query=query)


def read_stored(stack: StackHarness) -> str:
    """Return what results and records are stored with, which nothing rewrites, and the trail."""
    metadata = [stack.cloud.s3.head_object(Bucket=stack.results_bucket, Key=key)["Metadata"] for key in stack.results()]
    return json.dumps(
        [stack.items("SubmissionsTable"), metadata, list(map(str, stack.trail.list_page(length=1000).entries))]
    )


def erase_with_crashes(
    api: Api, stack: StackHarness, headers: Mapping[str, str], confirm: str, **query: str
) -> tuple[Answer, int]:
    """Die at the first write, then at the second, and so on, until a request gets through; return it and the deaths."""
    left = deaths = 0

    def die(model: Any, **_: Any) -> None:
        nonlocal left
        if model.name in {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}:
            left -= 1
            if left < 0:
                raise RuntimeError("the process dies")

    events = stack.cloud.dynamodb.meta.events
    events.register("before-call.dynamodb", die)
    while (left := deaths) >= 0:
        answer = erase(api, headers, confirm, **query)
        if answer.status == 200:
            break
        assert answer.status == 500
        deaths += 1
    events.unregister("before-call.dynamodb", die)
    return answer, deaths


def public_texts(stack: StackHarness) -> Iterator[str]:
    """Yield what anybody may read of the boards now."""
    for name in ("tiny", "twin"):
        stored = stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key=f"data/b/{name}/head.json")
        yield stored["Body"].read().decode()
        yield str(stack.rows(name))


def test_guest_is_shown_exported_and_erased(api: Api, stack: StackHarness, work: Callable[[], None]) -> None:
    """All benchmarks show and export a guest; then nothing does, whatever was on its way, is rescored or repeated."""
    first = [api.post(benchmark=name, headers=OWN, query=QUERY) for name in ("tiny", "twin")]
    api.post(headers=OTHER, query=QUERY)
    work()
    own = api.get(first[0].body["status_url"]).body["player"]
    shown, export = api.get(f"/api/players/{own}"), read_export(api, OWN, **QUERY)

    assert [(board["benchmark"], board["title"], board["total"]) for board in shown.body["benchmarks"]] == [
        ("tiny", "Tiny", 2),
        ("twin", "Twin", 1),
    ]
    assert (shown.body["name"], export.body["player"]) == (NAME, own)
    assert {name: len(view["history"]) for name, view in export.body["benchmarks"].items()} == {"tiny": 1, "twin": 1}
    assert NAME in "".join(public_texts(stack))

    queued = api.post({**GOOD, "text": "TR-V017-4946,5001"}, headers=OWN, query=QUERY)
    refused = [erase(api, OTHER, own, **QUERY), erase(api, OWN, own, player="Zoe"), erase(api, {}, own, **QUERY)]
    assert [answer.status for answer in refused] == [422, 422, 401]
    erased, deaths = erase_with_crashes(api, stack, OWN, own, **QUERY)
    for answer in (erased, erase(api, OWN, own, **QUERY)):
        assert answer.body == {"player": own, "benchmarks": ["tiny", "twin"]}
    assert deaths >= 4
    work()

    texts = "".join(public_texts(stack))
    assert own not in texts
    assert own in read_stored(stack)
    assert "Quartz" not in read_stored(stack)
    named = [item["key"]["S"] for item in stack.items("AccessTable") if "Quartz" in str(item)]
    assert [key.partition("--")[0] for key in named] == ["player#guest"]
    assert own not in str([item for item in stack.items("BoardsTable") if "Quartz" in str(item)])
    assert stack.rows("twin").name == ()
    assert len(stack.rows("tiny").name) == 1
    answers = [api.get(first[0].body["status_url"]), api.get(queued.body["status_url"]), api.get(f"/api/players/{own}")]
    answers += [api.get(f"/api/benchmarks/tiny/players/{own}"), read_export(api, {}, **QUERY)]
    assert [answer.status for answer in answers] == [404, 404, 404, 404, 401]
    assert read_export(api, OWN, **QUERY).body["benchmarks"] == {}
    again = api.post(headers=OWN, query=QUERY)
    assert (again.status, again.body["type"]) == (403, ERASED)
    assert api.post(headers=OTHER, query=QUERY).status == 202

    following = stack.publish(make_benchmark(truth=TRUTH.replace("5020", "5021")))
    ask_rescore(following, FlagStore(stack.access), now=utc_now())
    work()
    assert stack.head("tiny").version == following.next.version if following.next else following.version
    assert own not in "".join(public_texts(stack))


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("headers", "query"),
    [
        (OTHER, QUERY),
        ({}, QUERY),
        ({"Laurel-Player-Key": KEYS[0].upper()}, QUERY),
        (OTHER, {**QUERY, "key": KEYS[0]}),
        ({**OTHER, "X-Laurel-Player-Key": KEYS[0]}, {"player": f"{NAME}\r\nLaurel-Player-Key: {KEYS[0]}"}),
        ({**OWN, "Authorization": "Bearer laurel_x"}, QUERY),
        (OWN, {"player": "Zoe Quartz"}),
    ],
)
def test_export_is_of_the_player_of_key_and_name(
    api: Api, work: Callable[[], None], headers: Mapping[str, str], query: dict[str, str]
) -> None:
    """Whatever else a stranger sends, no word of another's data comes back."""
    submission = api.post(headers=OWN, query=QUERY).body["submission"]
    work()
    own = read_export(api, OWN, **QUERY)

    answer = read_export(api, headers, **query)

    assert submission in own.text
    assert answer.status in {200, 401, 422}
    assert not [secret for secret in (submission, own.body["player"], KEYS[0]) if secret in answer.text]


def test_erasing_nobody_writes_nothing(api: Api, stack: StackHarness, work: Callable[[], None]) -> None:
    """A name with a key that nobody played under leaves no item and no line; a repeat of an erasure no second line."""
    api.post(headers=OTHER, query=QUERY)
    work()
    tables = ("AccessTable", "BoardsTable", "SubmissionsTable")
    own, other = (read_export(api, headers, **QUERY).body["player"] for headers in (OWN, OTHER))
    before = [stack.items(table) for table in tables]

    nobody = erase(api, OWN, own, **QUERY)

    assert (nobody.status, nobody.body) == (200, {"player": own, "benchmarks": []})
    assert [stack.items(table) for table in tables] == before
    assert [erase(api, OTHER, other, **QUERY).status for _ in range(2)] == [200, 200]
    assert [entry.subject for entry in stack.trail.list_page(length=1000).entries] == [other]


def test_verified_player_is_erased(api: Api, stack: StackHarness, work: Callable[[], None]) -> None:
    """Account, address and token are gone, the name is free, and the id is nobody's ever again."""
    headers = stack.issue_token(IRIS, Scope.SUBMIT, address="iris@example.org")
    partial = stack.issue_token(IRIS, Scope.SUBMIT, address="iris@example.org", benchmarks=("twin",))
    sent = api.post(headers=headers)
    work()
    withdrawn = api.ask(f"{sent.body['status_url']}/withdrawal", {"reason": "a test"}, headers)
    work()
    assert (withdrawn.status, stack.head("tiny").notices[0].name) == (200, "Iris Vega")
    export = read_export(api, headers).body
    member = stack.issue_token(IRIS, Scope.SUBMIT, address="iris@example.org", secret="laurel_member", member="Bo")
    denied = [erase(api, partial, "iris").status, erase(api, member, "iris").status]

    answer, deaths = erase_with_crashes(api, stack, headers, "iris")
    work()

    assert (export["email"], export["verified"], export["next"]) == ("iris@example.org", True, None)
    assert (denied, answer.status, deaths >= 4) == ([403, 403], 200, True)
    assert stack.head("tiny").notices == ()
    assert "Iris" not in "".join(public_texts(stack))
    items = json.dumps([stack.items(table) for table in ("AccessTable", "BoardsTable")], default=str)
    assert "iris@example.org" not in items
    assert "Iris" not in items + read_stored(stack)
    assert [erase(api, headers, "iris").status, api.post(headers=headers).status] == [401, 401]
    stack.keep_account(make_player("vega", "Iris Vega"))
    with pytest.raises(Conflict):
        stack.keep_account(make_player("iris", "Heron"))
    assert [entry.action for entry in stack.trail.list_page(length=1000).entries][-1:] == [Action.ERASE]


def test_long_history_goes_on_in_the_list(api: Api, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The cursor of an export is one of the list of submissions."""
    monkeypatch.setattr(own_data, "PAGE_LENGTH", 2)
    for number in range(3):
        api.post({**GOOD, "text": f"TR-V017-49{number}5,5001"}, headers=OWN, query=QUERY)
    work()

    data = read_export(api, OWN, **QUERY).body
    view = data["benchmarks"]["tiny"]
    query = {"player": data["player"], "cursor": view["next"]}
    rest = api("GET", "/api/benchmarks/tiny/submissions", headers=OWN, query=query).body

    shown = {each["submission"] for each in [*view["history"], *rest["submissions"]]}
    assert (len(view["history"]), len(shown), rest["next"]) == (2, 3, None)
