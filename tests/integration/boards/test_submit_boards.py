"""What the API answers about boards: rows from any rank, a player's neighbours, search, CSV."""

import base64
import csv
import io

import feedparser
import pytest

from api.boards import routes as boards
from scoring_core.benchmarks.boards import MAIN
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.standings import RankOrder
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import HeadImprovements
from storage.keys import make_submission_id
from tests.harness.clock import START
from tests.harness.factories import make_player
from tests.harness.site_boards import make_row, store_board
from tests.harness.stack import Answer, Api, StackHarness

ROWS = "/api/benchmarks/coins/rows"
PAGES = "/api/data/b/coins"
CSV = f"{ROWS}.csv"


@pytest.fixture
def twelve_rows(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A board of twelve players, p0 to p11."""
    store_board(stack, published, [make_row(n, n) for n in range(12)])


def ask(api: Api, path: str, **query: object) -> Answer:
    """Send a GET; `start` stands for `from`."""
    named = {name.replace("start", "from"): str(value) for name, value in query.items()}
    return api("GET", path, query=named)


def names(answer: Answer) -> list[str]:
    """Return the players of an answer, in order."""
    return [row["player"] for row in answer.body["rows"]]


def test_rows_from_any_rank(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """Rows have rank, ties and all that the board shows; `next` leads through all of them."""
    store_board(stack, published, [make_row(n, 0)._replace(scores={"Coins": n // 3}) for n in range(60)])

    answer = ask(api, ROWS, start=40, limit=12)

    assert answer.status == 200
    assert answer.headers["cache-control"] == "public, max-age=2"
    rows = answer.body.pop("rows")
    assert answer.body == {
        "benchmark": "coins",
        "board": "main",
        "version": published.version,
        "sequence": 3,
        "total": 60,
        "is_outdated": False,
        "matches": 60,
        "next": 52,
    }
    assert [row["rank"] for row in rows] == [rank for rank in (40, 43, 46, 49) for _ in range(3)]
    assert rows[0] == {
        "rank": 40,
        "tied": True,
        "player": "p18",
        "name": "Player 18",
        "kind": "human",
        "verified": True,
        "label": None,
        "scores": {"Coins": 6},
        "done": None,
        "parts": None,
        "submissions": 19,
        "submission": make_submission_id(START, (18).to_bytes(10)),
        "submitted_at": "2026-03-01T12:00:00Z",
    }


def test_shared_links_show_board_and_player(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A page without scripts says who leads, or a player's rank, for previews of links; a name is only ever a text."""
    store_board(stack, published, [make_row(1, 1), make_row(2, 2, '<script>"')])
    headers = {"x-viewer-host": "evil.example", "x-forwarded-proto": "https"}

    board = api("GET", f"{PAGES}/boards/main/index.html", headers=headers)
    player = api("GET", f"{PAGES}/p/p1", headers=headers)
    image = ask(api, f"{ROWS}.svg", player="p1")

    assert (board.status, board.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert board.headers["cache-control"] == image.headers["cache-control"] == "public, max-age=2"
    assert '<meta property="og:image" content="https://localhost/api/benchmarks/coins/rows.png">' in board.body
    assert "&lt;script&gt;&quot; (guest) leads with 2" in board.body
    assert '<script>"' not in board.body
    assert "<title>Player 1 (guest) · Coin Run · Laurel</title>" in player.body
    assert '<meta property="og:description" content="2nd of 2, Coins 1, 1 behind &lt;script&gt;&quot;.' in player.body
    assert "<td><bdi>Player 1 (guest)</bdi></td>" in player.body
    assert [api.get(f"{PAGES}/{page}").status for page in ("s/x", "boards/none/index.html")] == [404, 404]
    assert api.get(f"{PAGES}/p/nobody").body == api.get(f"{PAGES}/index.html").body
    assert (image.headers["content-type"], ">2 · Player 1 (guest)<" in image.body) == ("image/svg+xml", True)
    assert ask(api, f"{ROWS}.svg", player="nobody").status == 404
    assert ask(api, f"{ROWS}.svg", player="p1", board="none").status == 404


def test_pictures_are_drawn_when_asked_for(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A board and a player have a PNG with a tag, which is not sent again to whom has it; others have none."""
    store_board(stack, published, [make_row(n, n) for n in range(5)])
    store_board(stack, published, [make_row(n, n) for n in range(3)], board="humans", board_title="Humans")

    board, player = ask(api, f"{ROWS}.png"), ask(api, f"{ROWS}.png", player="p2")
    again = api("GET", f"{ROWS}.png", headers={"If-None-Match": board.headers["etag"]})
    head = api("HEAD", f"{ROWS}.png")
    other = ask(api, f"{ROWS}.png", board="humans")
    store_board(stack, published, [make_row(n, n) for n in range(6)])
    later = api("GET", f"{ROWS}.png", headers={"If-None-Match": board.headers["etag"]})

    for answer in (board, player, later, other):
        assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
        assert base64.b64decode(answer.body).startswith(b"\x89PNG")
        assert answer.headers["cache-control"] == "public, max-age=2"
    assert (again.status, again.body, again.headers["etag"]) == (304, "", board.headers["etag"])
    assert (head.status, head.body) == (200, "")
    assert len({answer.headers["etag"] for answer in (board, player, later, other)}) == 4
    for query in ({"player": "nobody"}, {"player": "<svg>"}, {"board": "none"}, {"submission": "x"}):
        assert ask(api, f"{ROWS}.png", **query).status == 404


def test_feed_says_who_took_the_lead(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """The newest improvements come first, in a feed that a reader takes; a name is only ever a text."""
    steps = tuple((1_900_000_000_000 + number, number, "p1", f"{number:036}") for number in range(30))
    lead = (1_900_000_001_000, 99, "p2", "2" * 36)
    rows = [make_row(1, 1), make_row(2, 2, "<b>&\"']]>")]
    store_board(stack, published, rows, improvements=HeadImprovements(steps=(*steps, lead), total=31))

    answer = api("GET", f"{ROWS}.atom", headers={"x-viewer-host": "laurel.example", "x-forwarded-proto": "https"})
    feed = feedparser.parse(answer.body)

    assert (answer.status, answer.headers["content-type"]) == (200, "application/atom+xml; charset=utf-8")
    assert (feed.bozo, feed.version, feed.feed.title) == (False, "atom10", "Coin Run")
    assert feed.feed.links[0].href == "https://localhost/b/coins"
    assert [entry.title for entry in feed.entries[:2]] == ["<b>&\"']]> (guest): Coins 99", "Player 1 (guest): Coins 29"]
    assert feed.entries[0].link == f"https://localhost/b/coins/s/{lead[3]}"
    assert feed.entries[0].updated == feed.feed.updated == "2030-03-17T17:46:41+00:00"
    assert len({entry.id for entry in feed.entries}) == len(feed.entries) == 20
    assert api("GET", f"{ROWS}.atom", query={"board": "none"}).status == 404


def test_rows_of_some_players(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """In the board's order and with its ranks, each once; who is not on the board has none."""
    store_board(stack, published, [make_row(n, n) for n in range(30)])

    some = ask(api, ROWS, players="p3, nobody,p28,p3,")
    wrong = [
        ask(api, ROWS, **query)
        for query in (
            {"players": "p1;p2"},
            {"players": ",".join(f"p{n}" for n in range(51))},
            {"players": "p1", "q": "Player"},
        )
    ]

    assert [(row["player"], row["rank"]) for row in some.body["rows"]] == [("p28", 2), ("p3", 27)]
    assert (some.body["matches"], some.body["total"], some.body["next"]) == (2, 30, None)
    assert [(answer.status, answer.body["errors"][0]["parameter"]) for answer in wrong] == [(422, "players")] * 3
    assert ask(api, ROWS, players="nobody").body["rows"] == []


def test_around_a_player(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A player is between neighbours, with its rank; at the ends there are fewer."""
    store_board(stack, published, [make_row(n, n) for n in range(41)])

    middle = ask(api, "/api/benchmarks/coins/players/p20/around", above=2, below=1)
    leader = ask(api, "/api/benchmarks/coins/players/p40/around")
    alone = ask(api, "/api/benchmarks/coins/players/p0/around", above=0, below=0)

    assert names(middle) == ["p22", "p21", "p20", "p19"]
    assert (middle.body["player"], middle.body["rank"], middle.body["number"]) == ("p20", 21, 21)
    assert names(leader) == ["p40", "p39", "p38", "p37"]
    assert (names(alone), alone.body["rank"]) == (["p0"], 41)
    assert middle.headers["cache-control"] == "no-store"


def test_around_a_player_without_a_row(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A player who has not played yet is no error, which browsers would log: no rank and no rows, beside the total."""
    store_board(stack, published, [make_row(n, n) for n in range(3)])

    answer = ask(api, "/api/benchmarks/coins/players/nobody/around")

    assert answer.status == 200
    place = {name: answer.body[name] for name in ("player", "label", "rank", "number", "rows", "total")}
    assert place == {
        "player": "nobody",
        **dict.fromkeys(("label", "rank", "number")),
        "rows": [],
        "total": 3,
    }
    assert ask(api, "/api/benchmarks/coins/players/nobody/around", board="none").status == 404


def test_search_by_name(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """Names are found by any part, without case, width and accents; ranks stay those of the board."""
    rows = [make_row(n, n) for n in range(20)]
    rows += [make_row(30, 4, "Ädele Ørsted"), make_row(31, 9, "＊ＡDEle＊"), make_row(32, 0, "Ad Ele")]
    store_board(stack, published, rows)

    answer = ask(api, ROWS, q=" adele ")
    nothing = ask(api, ROWS, q="nobody")

    assert [(row["player"], row["rank"]) for row in answer.body["rows"]] == [("p31", 12), ("p30", 18)]
    assert (answer.body["matches"], answer.body["total"], answer.body["next"]) == (2, 23, None)
    assert (names(nothing), nothing.body["matches"], nothing.body["next"]) == ([], 0, None)


def test_csv_of_a_board(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """All rows are downloaded with a file's name; no cell is run by a spreadsheet."""
    store_board(stack, published, [*(make_row(n, n) for n in range(20)), make_row(20, 99, "=HYPERLINK(1)")])

    answer = api.get(CSV)

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="coins.csv"'
    read = list(csv.DictReader(io.StringIO(answer.body.removeprefix("\ufeff"), newline="")))
    assert [line["rank"] for line in read] == [str(rank) for rank in range(1, 22)]
    assert (read[0]["player"], read[0]["Coins"], read[1]["player_id"]) == ("'=HYPERLINK(1)", "99", "p19")


def test_boards_of_a_benchmark(api: Api, published: PublishedBenchmark) -> None:
    """Every board is listed with its addresses."""
    listed = api.get("/api/benchmarks/coins/boards").body

    assert listed == {
        "benchmark": "coins",
        "boards": [{"id": "main", "title": None, "url": "/data/b/coins/head.json"}],
        "archived": None,
        "banned": 0,
        "late": None,
        "moved": None,
    }


def test_another_board_has_rows_of_its_own(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """`board` names the board whose rows and neighbours are shown."""
    rows = [make_row(n, n) for n in range(12)]
    store_board(stack, published, rows)
    store_board(stack, published, rows, board="fast", order=RankOrder((("Time", Direction.LOWER),)))

    leaders = [names(ask(api, ROWS, board=board, limit=1)) for board in (MAIN, "fast")]
    around = ask(api, "/api/benchmarks/coins/players/p11/around", board="fast", above=1)

    assert leaders == [["p11"], ["p0"]]
    assert (names(around), around.body["board"]) == (["p10", "p11"], "fast")


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        (ROWS, {"start": 0}, 422),
        (ROWS, {"start": "NaN"}, 422),
        (ROWS, {"limit": 101}, 422),
        (ROWS, {"limit": 0}, 422),
        (ROWS, {"sort": "Coins"}, 422),
        (ROWS, {"board": ""}, 200),
        (ROWS, {"q": "x" * 65}, 422),
        (ROWS, {"q": "\x00"}, 200),
        (ROWS, {"q": "𝕬\u202e"}, 200),
        (ROWS, {"board": "none"}, 404),
        (ROWS, {"board": "../coins"}, 404),
        (CSV, {"board": "none"}, 404),
        ("/api/benchmarks/none/rows", {}, 404),
        ("/api/benchmarks/none/boards", {}, 404),
        ("/api/benchmarks/coins/players/p1/around", {"above": 51}, 422),
        ("/api/benchmarks/coins/players/p1/around", {"below": -1}, 422),
        ("/api/benchmarks/coins/players/p1/around", {"board": "none"}, 404),
        ("/api/benchmarks/coins/players/p1/around", {"label": "😀/é\x00" * 500}, 200),
        ("/api/benchmarks/coins/players/nobody/around", {}, 200),
        ("/api/benchmarks/coins/players/%F0%9F%8F%86/around", {}, 404),
        ("/api/benchmarks/coins/players/guest/around", {}, 200),
    ],
)
@pytest.mark.usefixtures("twelve_rows")
def test_hostile_parameters(api: Api, path: str, query: dict[str, object], status: int) -> None:
    """Whatever is asked for is answered, as a problem unless it makes sense, and a problem is never cached."""
    answer = ask(api, path, **query)

    assert answer.status == status
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["cache-control"] == "no-store"


def test_large_board_is_no_csv(
    api: Api, stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and neighbours are as of any board; CSV is refused, with a way to all rows."""
    store_board(stack, published, [make_row(n, n) for n in range(30)])
    monkeypatch.setattr(boards, "MAX_WHOLE_ROWS", 29)

    shown = [ask(api, ROWS, start=20), ask(api, "/api/benchmarks/coins/players/p7/around")]
    refused = ask(api, CSV)

    assert [answer.status for answer in (*shown, refused)] == [200, 200, 422]
    assert refused.body["type"] == "urn:laurel:problem:too-many-rows"
    assert refused.body["detail"] == (
        "this board has 30 rows, too many for one answer; `laurel board coins --csv` and the button CSV of the board's "
        "page write all of them"
    )


def test_large_board_finds_an_id_and_a_name_that_has_an_owner(
    api: Api, stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No part of either finds a player, nor a guest's name, which is nobody's."""
    stack.issue_token(make_player("p4", "Ada Lovelace"))
    rows = [*(make_row(n, n) for n in range(29) if n != 4), make_row(4, 4, "Ada Lovelace"), make_row(29, 1, "Bea")]
    store_board(stack, published, rows)
    monkeypatch.setattr(boards, "MAX_WHOLE_ROWS", 29)

    found = {text: names(ask(api, ROWS, q=text)) for text in ("p28", "p2", " ada  LOVELACE", "Ada", "Bea", "p99", "#")}
    answer = ask(api, ROWS, q="p28")

    assert found == {"p28": ["p28"], "p2": ["p2"], " ada  LOVELACE": ["p4"], "Ada": [], "Bea": [], "p99": [], "#": []}
    assert (answer.body["matches"], answer.body["total"], answer.body["next"]) == (1, 30, None)
