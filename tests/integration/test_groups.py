"""Groups: who may make, join, leave and delete one, and which rows of a board it has."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from storage.access import groups as stored_groups
from storage.access.groups import GroupStore
from storage.access.tokens import Scope
from storage.submissions.models import Player, PlayerKind
from submit.auth import Caller
from submit.dependencies import services
from submit.groups import service
from submit.joining import codes
from submit.problems import Problem
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import COINS, Answer, Api, StackHarness, make_benchmark, watching

KEYS = [f"player_{digit * 32}" for digit in "0123456789abcdef"]
COUNTED = {
    **COINS,
    "scorer": "fields",
    "parameters": {"fields": [{"name": name, "at": f"/{name}", "type": "int"} for name in ("Coins", "Time")]},
    "boards": [{"id": "cars", "title": "Cars", "ranking": {"by": ["Coins"], "rows": "label"}}],
}
ADA, BO, CY, DEE = (("Ada", KEYS[0]), ("Bo", KEYS[1]), ("Cy", KEYS[2]), ("Dee", KEYS[3]))


def ask(api: Api, path: str, key: str | None = None, body: Any = None, **query: str) -> Answer:
    """Send a POST below /api/groups with a player key."""
    return api.ask(f"/api/groups{path}", body, {"Laurel-Player-Key": key} if key else {}, query=query)


def make_group(api: Api, key: str = KEYS[9]) -> str:
    """Make a group and return its path."""
    return f"/{ask(api, '', key, {'name': 'Class 7b'}).body['code']}"


def join(api: Api, group: str, member: tuple[str, str]) -> Answer:
    """Join a group under a name."""
    return ask(api, f"{group}/members", member[1], player=member[0])


def read(api: Api, group: str, benchmark: str = "coins", **query: object) -> Any:
    """Return the rows of a group."""
    named = {name.replace("start", "from"): str(value) for name, value in query.items()}
    return api("GET", f"/api/benchmarks/{benchmark}/groups{group}", query=named).body


def test_group_from_first_to_last_day(api: Api, stack: StackHarness, work: Callable[[], None]) -> None:
    """Members have their own ranks and the board's; who leaves or is banned has no row at once; then it is deleted."""
    stack.publish(make_benchmark(COUNTED))
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN)
    for (name, key), coins, car in ((ADA, 3, "a"), (BO, 4, "b"), (BO, 5, "c"), (CY, 5, "a"), (DEE, 9, "a")):
        result, query = {"Coins": coins, "Time": 1}, {"player": name, "label": car}
        played = api.post(result, query=query, headers={"Laurel-Player-Key": key}, benchmark="coins")
        assert played.status == 202, played.text
    work()
    group = make_group(api)

    joined = [join(api, group.lower().replace("-", ""), member) for member in (ADA, BO, CY, ADA)]
    with watching(stack.cloud.dynamodb, "BatchGetItem") as reads:
        view = read(api, group, limit=2)

    players = [answer.body["player"] for answer in joined]
    assert [answer.status for answer in joined] == [200] * 4
    assert players[0] == players[3]
    assert (view["total"], view["members"], view["board_total"], view["next"]) == (3, 3, 4, 3)
    assert [(row["name"], row["rank"], row["board_rank"], row["tied"]) for row in view["rows"]] == [
        ("Bo", 1, 2, True),
        ("Cy", 1, 2, True),
    ]
    assert len(reads) == 1
    (last,) = read(api, group, start=3)["rows"]
    assert (last["name"], last["rank"], last["board_rank"], last["tied"]) == ("Ada", 3, 4, False)
    cars = read(api, group, board="cars")
    assert [(row["name"], row["label"], row["rank"], row["board_rank"]) for row in cars["rows"]] == [
        ("Bo", "c", 1, 2),
        ("Cy", "a", 1, 2),
        ("Ada", "a", 3, 5),
    ]
    shown = api.get(f"/api/groups{group}")
    assert [member["name"] for member in shown.body["members"]] == ["Ada", "Bo", "Cy"]
    assert (shown.headers["cache-control"], shown.headers["x-robots-tag"]) == ("no-store", "noindex")
    assert not [text for item in stack.items("AccessTable") for text in KEYS if text in str(item)]

    wrong = [ask(api, f"{group}/members/{players[0]}/leave", key) for key in (None, KEYS[1])]
    left = ask(api, f"{group}/members/{players[0]}/leave", ADA[1])
    taken_off = ask(api, f"{group}/members/{players[1]}/leave", KEYS[9])
    ban = {"player": players[2], "reason": "cheats"}
    assert api.ask("/api/benchmarks/coins/ban", ban, owner).status == 200

    assert [answer.status for answer in wrong] == [401, 403]
    assert [answer.status for answer in (left, taken_off)] == [200, 200]
    assert read(api, group)["rows"] == []
    assert [ask(api, f"{group}/delete", key).status for key in (None, ADA[1], KEYS[9], KEYS[9])] == [401, 403, 200, 404]
    assert not [item for item in stack.items("AccessTable") if item["key"]["S"].startswith("group#")]


def test_members_of_tokens_and_hosts(api: Api, stack: StackHarness) -> None:
    """A token joins as its player, a host's as whom it names; each leaves by the token it came with."""
    heron = stack.issue_token(make_player("heron", "Heron", PlayerKind.MODEL), Scope.SUBMIT)
    maze = stack.issue_token(make_player("maze", "Maze"), Scope.HOST, benchmarks=("coins",))
    group = make_group(api)
    path = f"/api/groups{group}/members"

    joined = [
        api("POST", path, headers=headers, query=query)
        for headers, query in ((heron, {}), (maze, {"player": "Nina"}), (heron, {"player": "Nina"}), (maze, {}))
    ]

    assert [answer.status for answer in joined] == [200, 200, 422, 422]
    assert [answer.body["player"][:7] for answer in joined[:2]] == ["heron", "guest--"]
    nina = joined[1].body["player"]
    assert api("POST", f"{path}/{nina}/leave", headers=heron).status == 403
    assert api("POST", f"{path}/{nina}/leave", headers=maze).status == 200
    assert api("POST", f"{path}/heron/leave", headers=heron).status == 200


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (("", None, {"name": "Class 7b"}, {}), (401, "player-key-needed")),
        (("", KEYS[0], {"name": "official class"}, {}), (422, "invalid-name")),
        (("", KEYS[0], {"name": KEYS[1]}, {}), (422, "invalid-name")),
        (("", KEYS[0], {"name": "a", "code": "x"}, {}), (422, "not-a-group")),
        (("", "player_0", {"name": "Class 7b"}, {}), (422, "invalid-player-key")),
        (("/members", None, None, {"player": "Ada"}), (401, "player-key-needed")),
        (("/members", KEYS[0], None, {}), (422, "player-needed")),
        (("/members", KEYS[0], None, {"player": "lris"}), (409, "name-taken")),
        (("/members", KEYS[0], None, {"player": "a\u202eb"}), (422, "invalid-player")),
        (("/members/guest-ada/leave", KEYS[0], None, {}), (404, "not-found")),
    ],
)
def test_bad_request_leaves_nothing(api: Api, stack: StackHarness, request_: Any, problem: tuple[int, str]) -> None:
    """What is wrong is named, no key is repeated, and nothing is stored."""
    path, key, body, query = request_
    stack.issue_token(make_player("iris", "Iris"), Scope.SUBMIT)
    group = make_group(api) if path else ""
    before = stack.left_behind()

    answer = ask(api, f"{group}{path}", key, body, **query)

    assert (answer.status, answer.body["type"]) == (problem[0], f"urn:laurel:problem:{problem[1]}")
    assert KEYS[1] not in answer.text
    assert stack.left_behind() == before


def test_days_have_limits(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many groups are made, joined and guessed a day; after too many wrong codes right ones are not answered."""
    monkeypatch.setattr(service, "PER_DAY", dict.fromkeys(service.PER_DAY, 2))
    monkeypatch.setattr(codes, "WRONG_PER_HOUR", 2)
    group = make_group(api)
    make_group(api)

    refused = [
        ask(api, "", KEYS[3], {"name": "Class 7c"}),
        *[join(api, group, member) for member in (ADA, BO, CY)][2:],
        *[api.get(f"/api/groups/{code}") for code in ("BBBBB-BBBBB", "no code", "BBBBB-BBBBC", group[1:])][3:],
    ]

    assert [(answer.status, answer.body["type"]) for answer in refused] == [
        (429, "urn:laurel:problem:quota-exhausted")
    ] * 3
    limits = [answer.body["detail"].partition(" may ")[2].partition(" of groups")[0][:15] for answer in refused]
    assert limits == ["make 2 groups a", "join 2 groups a", "try 2 wrong cod"]


def test_wrong_codes_lock_groups_for_an_hour_at_most(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer says when it ends; then right codes are answered again, and the next wrong ones are counted again."""
    monkeypatch.setattr(codes, "WRONG_PER_HOUR", 2)
    code = make_group(api)[1:]
    now = datetime(2026, 11, 24, 13, 59, 30, tzinfo=UTC)
    caller = Caller(origin="school")
    groups = replace(services().groups, clock=lambda: now)
    for wrong in ("BBBBB-BBBBB", "BBBBB-BBBBC"):
        with pytest.raises(Problem, match="no such group"):
            groups.find(wrong, caller)

    with pytest.raises(Problem) as locked:
        groups.find(code, caller)
    now += timedelta(seconds=30)
    found = groups.find(code, caller)

    assert (locked.value.status, locked.value.headers["Retry-After"]) == (429, "30")
    assert locked.value.detail == (
        "quota: all guests at your network address together may try 2 wrong codes an hour, and no code is answered "
        "then; that ends at 2026-11-24T14:00:00Z"
    )
    assert found.code == code


def test_last_place_has_one_taker(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of players who join at once, as many as there is room for get in; a full group's members stay, and may leave."""
    monkeypatch.setattr(stored_groups, "MAX_MEMBERS", 4)
    monkeypatch.setattr(stored_groups, "MAX_JOINED", 2)
    group, other, third = (make_group(api) for _ in range(3))
    store = GroupStore(stack.access)
    for member in (ADA, BO, CY):
        join(api, group, member)

    with ThreadPoolExecutor(6) as pool:
        guests = [Player(id=f"guest--{name}", name=name, kind=PlayerKind.HUMAN) for name in "uvwxyz"]
        tried = list(pool.map(lambda guest: _try(store, group[1:], guest), guests))

    assert sorted(tried) == [False] * 5 + [True]
    full = join(api, group, DEE)
    assert (full.status, full.body["type"]) == (409, "urn:laurel:problem:group-full")
    assert join(api, group, ADA).status == 200
    # Notes of groups that the player is not in take no room: one is full, one was deleted.
    assert join(api, other, DEE).status == 200
    assert join(api, third, DEE).status == 200
    fourth = make_group(api)
    many = join(api, fourth, DEE)
    assert (many.status, many.body["type"]) == (409, "urn:laurel:problem:too-many-groups")
    ask(api, f"{other}/delete", KEYS[9])
    assert join(api, fourth, DEE).status == 200


def _try(store: GroupStore, code: str, guest: Player) -> bool:
    try:
        store.join(code, guest)
    except stored_groups.GroupFull:
        return False
    return True


def test_commands(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A group from the command line: made, joined, shown, left and deleted."""
    stack.publish(make_benchmark(COINS))
    connect_commands(api, monkeypatch)
    monkeypatch.setenv("LAUREL_PLAYER_KEY", KEYS[0])
    code = laurel("group", "new", "Class 7b").stdout.split()[0]

    typed = [
        laurel("group", *arguments)
        for arguments in (
            ("join", code.lower(), "--player", "Ada"),
            ("show", code),
            ("show", code, "coins"),
            ("leave", code, "Bo"),
            ("leave", code, "ada"),
            ("delete", code),
            ("show", code),
        )
    ]

    assert [result.exit_code == 0 for result in typed] == [True, True, True, False, True, True, False]
    assert typed[0].stdout == f"Ada is in Class 7b ({code})\n"
    assert "guest--" in typed[1].stdout
    assert f"0 of 0 rows, 1 member of {code}" in typed[2].stdout
    assert "has no member 'Bo'" in str(typed[3].exception)
    assert typed[4].stdout == f"Ada is no longer in Class 7b ({code})\n"
    assert "there is no such group" in str(typed[6].exception)
