"""`laurel board`: first rows, records and CSV, as a site lists them."""

import csv
import io
import itertools
import json
import re

import httpx
import pytest
import yaml
from typer.testing import CliRunner, Result

from cli import client as client_module
from cli.client import ApiError
from cli.exit_codes import UsageError
from cli.main import app
from scoring_core.metrics.score_type import Direction
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.models import Metric
from tests.unit.board_rows import (
    METRICS,
    MemoryFiles,
    PagedBoard,
    make_row,
    rank_rows,
    show_rows,
    sort_rows,
    split_pages,
    store_board,
)

SITE = "http://localhost"
SHOWN = tuple(
    Metric(id=name, label=name.title(), unit=None, direction=Direction.HIGHER, decimals=None, help=None, primary=False)
    for name in METRICS
)
RUNNER = CliRunner()
ROWS = [make_row(f"p{number}", number // 2, number=number) for number in range(230)]


PART = 60
"""Rows of a part of the CSV."""
API = "/api/benchmarks/coins"


class Site:
    """A site that serves the head of a board, and its rows; `asked` are the paths."""

    def __init__(self, files: MemoryFiles) -> None:
        self.ranked = rank_rows(ROWS)
        self.sequences = itertools.repeat(1)
        self.contents: dict[str, bytes] = {}
        self.asked: list[str] = []
        for name, head in files.heads.items():
            whole = head.model_copy(update={"metrics": SHOWN, "rows": show_rows(sort_rows(ROWS)[:100])})
            self.contents[f"/{name}"] = whole.model_dump_json().encode()

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        self.asked.append(request.url.path)
        if request.url.path == "/api/benchmarks/coins/boards":
            return httpx.Response(200, json={"boards": [{"id": "main"}, {"id": "speed"}, {"id": "weekly"}]})
        if request.url.path == "/api/benchmarks":
            return httpx.Response(200, json={"benchmarks": [{"id": "coins"}]})
        if request.url.path == "/api/benchmarks/coins":
            return httpx.Response(200, json={"headers": [{"name": METRICS[0], "min": 0, "max": None}]})
        if request.url.path in self.contents:
            content = self.contents[request.url.path]
            is_head = b'"sequence":' in content
            return httpx.Response(200, content=_count(content, next(self.sequences)) if is_head else content)
        return self.list_rows(request.url.path, dict(request.url.params))

    def list_rows(self, path: str, query: dict[str, str]) -> httpx.Response:
        """Answer as the routes of rows do."""
        if query.get("board", "main") != "main":
            return httpx.Response(404)
        start = int(query.get("from", "1")) - 1
        if path == f"{API}/rows.csv":
            part = "".join(write_lines(self.ranked[start : start + PART], SHOWN))
            return httpx.Response(200, content=(write_header(SHOWN, has_labels=False) + part).encode())
        return httpx.Response(404)


def _count(head: bytes, sequence: int) -> bytes:
    return re.sub(rb'"sequence": ?[0-9]+', b'"sequence":%d' % sequence, head)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site with a board of 230 rows, 20 on a page."""
    lines, pages = split_pages(sort_rows(ROWS), [20])
    made = Site(store_board(PagedBoard(lines, pages, {}, {}, ROWS)))
    transport = httpx.MockTransport(made.answer)
    create = httpx.Client
    monkeypatch.setattr(client_module.httpx, "Client", lambda **options: create(**{**options, "transport": transport}))
    return made


def run(*words: str) -> Result:
    """Run `laurel board coins` with further words."""
    return RUNNER.invoke(app, ["board", "coins", "--api", SITE, *words])


def test_csv_has_every_row_in_order(site: Site) -> None:
    """Every row is written once, with its rank."""
    done = run("--csv")

    read = list(csv.DictReader(io.StringIO(done.stdout_bytes.decode(), newline="")))
    assert done.exit_code == 0
    assert [(line["rank"], line["player_id"]) for line in read] == [
        (str(rank), row.player) for rank, _, row in rank_rows(ROWS)
    ]
    assert done.stdout_bytes.count(b"\r\n") == 231


def test_parts_of_the_csv_follow_each_other(site: Site) -> None:
    """Each part is asked for from the row after the last one; a board that changes meanwhile is worth a note."""
    whole = run("--csv")
    site.sequences = iter([1, 2])
    changed = run("--csv")

    assert site.asked.count(f"{API}/rows.csv") == 8
    assert "changed meanwhile" not in whole.stderr
    assert "the board changed meanwhile" in changed.stderr


def test_first_rows_are_records_of_every_eval_ever(site: Site) -> None:
    """A record has what the schema requires; a bound that the benchmark does not have is that of the rows."""
    records = [json.loads(line) for line in run("--records", "--top", "3").output.splitlines()]

    required = {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info"}
    assert [required | {"eval_library", "evaluation_results"} == set(record) for record in records] == [True] * 3
    first = records[0]
    assert first["model_info"]["name"] == "P228"
    assert {"deployment_type", "model_availability"} < set(first["model_info"]["additional_details"])
    assert {"source_type", "source_organization_name", "evaluator_relationship"} <= set(first["source_metadata"])
    result = first["evaluation_results"][0]
    assert set(result) == {"evaluation_name", "source_data", "metric_config", "score_details"}
    shown = [record["evaluation_results"][0]["score_details"]["score"] for record in records]
    assert result["metric_config"] == {
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0,
        "max_score": max(shown),
    }


def test_a_row_is_written_for_the_card_of_a_model(site: Site) -> None:
    """The data set is that of the link to it; without one, or without such a row, nothing is written."""
    path, head = "/data/b/coins/head.json", json.loads(site.contents["/data/b/coins/head.json"])
    without = run("--eval-results", "P228").exception
    links = [{"label": "Data", "url": "https://huggingface.co/datasets/org/coins"}]
    site.contents[path] = json.dumps({**head, "links": links}).encode()

    (entry,) = yaml.safe_load(run("--eval-results", "P228").output)

    assert entry["dataset"] == {"id": "org/coins", "task_id": "coins"}
    assert entry["value"] == head["rows"]["scores"][head["metrics"][0]["id"]][0]
    assert entry["source"]["url"] == f"{SITE}/b/coins"
    assert isinstance(without, UsageError)
    assert "found 'Nobody'" in str(run("--eval-results", "Nobody").exception)


def test_baselines_are_marked(site: Site) -> None:
    """The line of a baseline says so."""
    path = "/data/b/coins/head.json"
    baselines = [
        {"player": player, "label": None, "name": player, "verified": True, "scores": {}} for player in ("p228", "p201")
    ]
    site.contents[path] = json.dumps(json.loads(site.contents[path]) | {"baselines": baselines}).encode()

    marked = [line for line in run("--top", "3").output.splitlines() if "baseline" in line]

    assert len(marked) == 1
    assert "P228" in marked[0]


@pytest.mark.parametrize("words", [["--records", "--json"], ["--csv", "--json"], ["--csv", "--records"]])
def test_options_that_exclude_each_other(site: Site, words: list[str]) -> None:
    """Only one kind of rows is shown at a time; nothing is read for two."""
    assert isinstance(run(*words).exception, UsageError)
    assert site.asked == []


def test_day_of_a_window_that_was_not_played(site: Site) -> None:
    """The site itself says which days there are."""
    error = run("--board", "weekly-2026-w60", "--csv").exception

    assert isinstance(error, ApiError)
    assert "/data/b/coins/boards/weekly-2026-w60/head.json" in str(error)
    assert site.asked


@pytest.mark.parametrize("content", [b"[]", b"{}", b'{"rows":[1],"next":null}', b"<html>", b"\xff", b"null"])
@pytest.mark.parametrize("words", [(), ("--csv",), ("--records",)])
def test_answers_of_another_kind_are_an_error(site: Site, words: tuple[str, ...], content: bytes) -> None:
    """What is not a board ends the command with one line, whatever it is."""
    site.contents["/data/b/coins/head.json"] = content

    assert isinstance(run(*words).exception, ApiError)


def test_csv_that_is_no_text_is_an_error(site: Site) -> None:
    """CSV may be any text, but in UTF-8."""
    site.contents[f"{API}/rows.csv"] = b"\xff"

    assert isinstance(run("--csv").exception, ApiError)


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("words", [(), ("--csv",), ("--records",)])
@pytest.mark.parametrize("board", ["daily", "sped"])
def test_board_that_does_not_exist_is_answered_with_those_that_do(board: str, words: tuple[str, ...]) -> None:
    """Whichever rows are asked for, the error lists the boards that there are."""
    done = run(*words, "--board", board)

    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == f"coins has no board {board!r}; its boards are main, speed, weekly"
