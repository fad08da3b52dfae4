"""The served pages: what programs and readers without scripts see, and what nobody can put into them."""

import gzip
import json
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any, Final

import pytest

from aggregate.board import make_index_entry, takes_back
from api.boards.cards import HOST_HEADER, find_site
from scoring_core.io.text import is_harmful
from storage.boards.models import Head, HeadBaseline, HeadLink, Index
from storage.boards.site.board_page import write_board_page
from storage.boards.site.croissant import write_croissant
from storage.boards.site.markup import PageMeta, write_meta
from storage.boards.site.start_page import write_start_page
from storage.players.names import label_player
from tests.web.boards import METRICS, START, make_board, make_hostile_board, make_rows

SITE: Final = "https://laurel.example"
EVIL: Final = "</script><script>alert(1)</script>\"'><!-- \u202eevil \u2066"
MAX_BYTES: Final = 32_000
"""Of a page as it is transferred."""


class Reader(HTMLParser):
    """Reads a page as a browser does: its elements with their attributes, and the texts in and out of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        (self.scripts if self.cdata_elem else self.texts).append(data)

    def attributes(self, *tags: str) -> list[dict[str, str | None]]:
        """Return the attributes of all elements of some tags."""
        return [attributes for tag, attributes in self.elements if tag in tags]


def make_evil() -> Head:
    """Return a board of which every text of a person is hostile."""
    head = make_hostile_board("hostile")
    texts = {"title": EVIL, "summary": EVIL, "description": f"{EVIL}\n\n{EVIL}", "tags": (EVIL,)}
    metrics = tuple(metric.model_copy(update={"label": EVIL, "unit": EVIL, "help": EVIL}) for metric in head.metrics)
    links = (HeadLink(label=EVIL, url=f"https://example.com/{EVIL}"),)
    rows = head.rows.model_copy(update={"name": (EVIL, *head.rows.name[1:])})
    return head.model_copy(update={**texts, "metrics": metrics, "links": links, "rows": rows})


def test_hostile_texts_stay_texts() -> None:
    """Whatever people write ends no element and no attribute, turns no line around, and is read as it was written."""
    head = make_evil()
    index = Index(benchmarks=(make_index_entry(head, now=START),))
    board = write_board_page(head, '"etag"', site=SITE, boards=[("main", None), ("other", EVIL)])
    start = write_start_page(index, '"etag"', site=SITE)

    for page, embedded in ((board, head), (start, index)):
        reader = Reader(page)
        types = [attributes["type"] for attributes in reader.attributes("script")]
        assert types == ["module", "application/ld+json", "application/json"]
        names = {name for _, attributes in reader.elements for name in attributes}
        assert not [name for name in names if name.startswith(("on", "style"))]
        assert json.loads(reader.scripts[-1]) == json.loads(embedded.to_body())
        values = [text or "" for _, attributes in reader.elements for text in attributes.values()]
        shown = [*reader.texts, *(value for value in values if not value.startswith("[{"))]
        assert not [text for text in shown if any(map(is_harmful, text.replace("\n", "")))]
        assert "</script><script>alert" not in page
    assert json.loads(Reader(board).scripts[0])["name"] == EVIL
    assert json.loads(write_croissant(head, site=SITE))["name"] == EVIL


@pytest.mark.parametrize("scheme", ['x"><script>', "javascript", "HTTPS", "http", "https"])
def test_address_of_a_page_is_its_site(scheme: str) -> None:
    """What a request says of its scheme is http or https, and no host ends an attribute."""
    site = find_site({"x-forwarded-proto": scheme, HOST_HEADER: 'a"><b>.example'})
    reader = Reader(write_meta(PageMeta("T", "D", "/b/x", site, "/p.png")))

    assert site.startswith("https://" if scheme == "https" else "http://")
    (url,) = [each["content"] for each in reader.attributes("meta") if each.get("property") == "og:url"]
    assert url == f"{site}/b/x"
    assert {name for name, _ in reader.elements} <= {"title", "meta", "link"}


def test_page_says_what_it_is() -> None:
    """Title, description, picture, canonical address and data are the board's own; no name of a build is in it."""
    head = make_board("thirty", players=30)
    reader = Reader(write_board_page(head, '"etag"', site=SITE))
    metas = {each.get("property") or each.get("name"): each.get("content") for each in reader.attributes("meta")}
    links = {each["rel"]: each["href"] for each in reader.attributes("link")}
    files = [each.get("src") or each.get("href") or "" for each in reader.attributes("link", "script")]
    names = zip(head.rows.name, head.rows.verified, strict=True)

    assert metas["og:title"] == "Board thirty"
    assert "leads with 999.94; 30 rows." in (metas["og:description"] or "")
    assert metas["og:image"] == f"{SITE}/api/benchmarks/thirty/rows.png"
    assert links["canonical"] == metas["og:url"] == f"{SITE}/b/thirty"
    alternates = [each["href"] for each in reader.attributes("link") if each["rel"] == "alternate"]
    assert alternates == ["/data/b/thirty/croissant.json", "/api/benchmarks/thirty/rows.atom"]
    assert json.loads(reader.scripts[0])["@type"] == "Dataset"
    assert [file for file in files if file.startswith(("/app", "/assets"))] == ["/app/style.css", "/app/main.js"]
    assert len(reader.attributes("tr")) == 31
    assert {label_player(name, verified=verified) for name, verified in names} <= set(reader.texts)


@pytest.mark.parametrize(
    ("unit", "about"), [("%", "% Score"), ("s", "% Score · 10.0\u202fs"), (None, "% Score · Time 10.0")]
)
def test_leader_has_the_text_that_the_app_draws(unit: str | None, about: str) -> None:
    """One more value, if it decides the rank and has a name; else the app draws other text, a second later."""
    score, time, errors = METRICS
    metrics = score.model_copy(update={"unit": "%"}), time.model_copy(update={"unit": unit}), errors
    head = make_board("board", players=3)
    ranking = head.ranking.model_copy(update={"order": tuple((each.id, each.direction) for each in METRICS[:2])})
    page = write_board_page(change(head, metrics=metrics, ranking=ranking), '"e"', site=SITE)

    assert f"<small>{about}</small>" in page


def test_start_page_lists_open_boards_first() -> None:
    """Below the board with the latest lead, a row names each, its leaders and players: open ones, the latest first."""
    entry = make_index_entry(make_board("thirty", players=30), now=START)
    changes: tuple[dict[str, Any], ...] = (
        {"id": "closed", "state": "closed", "taken_at": START + timedelta(days=1)},
        {"id": "older", "updated_at": START - timedelta(days=1)},
        {"id": "newer", "updated_at": START},
    )

    page = write_start_page(Index(benchmarks=tuple(entry.model_copy(update=change) for change in changes)), "", site="")

    rows = Reader(page.partition("<tbody>")[2].partition("</tbody>")[0])
    assert [each["href"] for each in rows.attributes("a")] == ["/b/newer", "/b/older", "/b/closed"]
    assert [text for text in rows.texts if "999.94" in text] == [" 999.94, "] * 3
    assert rows.texts.count("30") == 3
    event = page.partition('<article class="event">')[2].partition("</article>")[0]
    assert '<a href="/b/closed">' in event
    assert "<h1><bdi>Player 1</bdi> leads</h1>" in event
    assert "<p><b>0.06 ahead</b></p>" in event
    assert event.count("<li>") == 6
    empty = write_start_page(Index(benchmarks=(entry.model_copy(update={"top": ()}),)), "", site="")
    assert "<h1>Boards</h1>" in empty
    assert "event" not in empty.partition("<main")[2].partition("</main>")[0]


def test_page_is_bounded() -> None:
    """A board of many rows and columns has fewer rows in its table, and the whole page is small."""
    both = [METRICS[0], *[METRICS[1]] * 39]
    metrics = tuple(metric.model_copy(update={"id": f"m{index}"}) for index, metric in enumerate(both))
    rows = make_rows(100)
    scores = {metric.id: rows.scores["Score"] for metric in metrics}
    wide = make_board("wide", players=100).model_copy(
        update={"metrics": metrics, "rows": rows.model_copy(update={"scores": scores})}
    )

    for head, shown in ((make_board("hundred", players=100), 100), (wide, 40)):
        page = write_board_page(head, '"etag"', site=SITE)
        assert page.count("<tr>") == shown + 1
        assert len(gzip.compress(page.encode(), 6)) < MAX_BYTES


def change(head: Head, **changes: Any) -> Head:
    """Return a later head."""
    return head.model_copy(update={"generated_at": START + timedelta(minutes=1), **changes})


def test_only_what_is_taken_back_takes_a_page_away() -> None:
    """A row that leaves, a new name and a notice do; new rows, and those pushed below the first ones, do not."""
    head = make_board("ten", players=10)
    fewer = make_board("nine", players=9).rows
    renamed = head.rows.model_copy(update={"name": ("Somebody", *head.rows.name[1:])})
    notices = make_hostile_board("hostile").notices

    assert not takes_back(head, change(head, rows=make_rows(11)), frozenset())
    assert not takes_back(head, change(head, rows=fewer), frozenset())
    assert takes_back(head, change(head, rows=fewer), None)
    assert takes_back(head, change(head), {"far-below"})
    assert takes_back(head, change(head, rows=renamed), frozenset())
    assert takes_back(head, change(head, notices=notices), frozenset())
    baseline = HeadBaseline(player="far-below", name="Somebody", verified=True, scores={})
    assert takes_back(change(head, baselines=(baseline,)), change(head), frozenset())
