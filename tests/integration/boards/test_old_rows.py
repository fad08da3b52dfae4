"""Rows of an earlier board: they rank beside others with their own date and a mark, and cost and need nothing."""

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cli import progress
from storage.players.tokens import Scope
from tests.harness.clock import Clock
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import PLAYS, Api, StackHarness, make_benchmark

TOKEN = "laurel_of-the-owner-of-rows"  # of this test
BEARER = {"Authorization": f"Bearer {TOKEN}"}
type Import = Callable[..., dict[str, Any]]


@pytest.fixture
def take(
    stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, work: Callable[[], None]
) -> Import:
    """Import rows as an owner types it, while the stack works."""
    stack.publish(make_benchmark())
    stack.issue_token(make_player("olga", "Olga"), Scope.OWN, secret=TOKEN)
    connect_commands(api, monkeypatch, stack)
    monkeypatch.setattr(progress.time, "sleep", lambda _: work())

    def take(text: str, *options: str, benchmark: str = "tiny") -> dict[str, Any]:
        file = tmp_path / "rows.csv"
        file.write_text(text, encoding="utf-8")
        done = laurel("rows", "import", benchmark, str(file), "--json", *options, token=TOKEN)
        stack.follow_all()
        assert done.exit_code == 0, done.output
        return dict(json.loads(done.stdout))

    return take


def shown(stack: StackHarness, benchmark: str = "tiny") -> list[tuple[str, float | None]]:
    """Return the names and primary values of a board, in order."""
    rows, metric = stack.head(benchmark).rows, stack.head(benchmark).metrics[0].id
    return list(zip(rows.name, rows.scores[metric], strict=True))


def test_rows_rank_beside_others_and_are_marked(
    stack: StackHarness, api: Api, take: Import, work: Callable[[], None]
) -> None:
    """Dates, marks and details are there, in the CSV and the chart too; no quota is used, and no token is made."""
    tokens = stack.count_tokens()
    taken = take("name,score,date,link\nHeron,99.5,2020-02-01,https://example.org\nTern,1.5,2021-01-01,\n")
    api.post(query={"player": "Ada"})
    work()
    stack.follow_all()

    head = stack.head("tiny")
    assert [name for name, _ in shown(stack)] == ["Heron", "Ada", "Tern"]
    assert datetime.fromtimestamp(head.rows.at[0] / 1000, UTC).date().isoformat() == "2020-02-01"
    assert [step[1] for step in head.improvements.steps] == [99.5]
    table = csv.DictReader(api.get("/api/benchmarks/tiny/rows.csv").body.removeprefix("\ufeff").splitlines())
    assert [line["taken_over"] for line in table] == ["true", "false", "true"]
    listed = api.get("/api/benchmarks/tiny/rows").body["rows"]
    assert [each.get("taken_over") for each in listed] == [True, None, True]
    status = api.get(taken["rows"][0]["status_url"]).body
    assert (status["detail"], status["verified"]) == ({"link": "https://example.org"}, False)
    page = stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key="data/b/tiny/index.html")["Body"].read().decode()
    records = [json.loads(line) for line in laurel("board", "tiny", "--records").stdout.splitlines()]
    sources = [each["source_metadata"]["source_type"] for each in records]
    assert (page.count(" (taken over)"), sources) == (2, ["documentation", "evaluation_run", "documentation"])
    assert (stack.count_tokens(), "taken over" in laurel("board", "tiny").stdout) == (tokens, True)
    assert not [item for item in stack.items("AccessTable") if "quota" in str(item["key"]) and "guest--" in str(item)]


def test_importing_again_replaces(stack: StackHarness, take: Import, clock: Clock) -> None:
    """What is not in the file leaves without a notice; what is there again comes back, however late."""
    first = "name,score,date\nHeron,99.5,2020-02-01\nTern,1.5,2021-01-01\n"
    take(first)
    second = take("name,score,date\nHeron,98.5,2020-02-01\nTern,1.5,2021-01-01\n")

    assert ([each["repeated"] for each in second["rows"]], len(second["left"])) == ([False, True], 1)
    assert (shown(stack), stack.head("tiny").notices) == ([("Heron", 98.5), ("Tern", 1.5)], ())
    clock.advance(days=3)
    take(first)
    assert shown(stack) == [("Heron", 99.5), ("Tern", 1.5)]


def test_rejected_row_is_alone(stack: StackHarness, take: Import, work: Callable[[], None], tmp_path: Path) -> None:
    """What the site alone knows, here a verified player's name, ends the import; the row is named."""
    take("name,score,date\nHeron,99.5,2020-02-01\n")
    file = tmp_path / "more.csv"
    file.write_text("name,score,date\nHeron,99.5,2020-02-01\nTern,3,2020-02-01\nOlga,2,2020-02-01\n", encoding="utf-8")

    done = laurel("rows", "import", "tiny", str(file), token=TOKEN)
    work()
    stack.follow_all()

    assert (str(done.exception)[:6], shown(stack)) == ("Olga: ", [("Heron", 99.5)])


def test_a_player_claims_the_rows(stack: StackHarness, api: Api, take: Import) -> None:
    """A person with the link is the row's player; the owner may import again; others have nothing to claim."""
    (row,) = take("name,score,date\nHeron,99.5,2020-02-01\n")["rows"]

    made = api.ask("/api/benchmarks/tiny/invite", {"player": row["player"]}, BEARER)
    issued = api.ask("/api/invitations/join", {"code": made.body["code"]})
    other = api.ask("/api/benchmarks/tiny/invite", {"player": "guest--00000000000000000000-model"}, BEARER)

    assert (issued.status, issued.body["player"], issued.body["name"]) == (201, row["player"], "Heron")
    assert (other.status, api.ask("/api/invitations/join", {"code": made.body["code"]}).status) == (404, 409)
    take("name,score,date\nHeron,97.5,2020-02-01\n")
    assert shown(stack) == [("Heron", 97.5)]


def test_row_of_an_erased_player_stays_away(stack: StackHarness, api: Api, take: Import) -> None:
    """The player who claimed it is gone, and no import brings the row back."""
    (row,) = take("name,score,date\nHeron,99.5,2020-02-01\n")["rows"]
    made = api.ask("/api/benchmarks/tiny/invite", {"player": row["player"]}, BEARER)
    issued = api.ask("/api/invitations/join", {"code": made.body["code"]})
    own = {"Authorization": f"Bearer {issued.body['secret']}"}
    assert api.ask("/api/me/erasure", {"confirm": row["player"]}, own).status == 200

    query = {"player": "Heron", "taken_over": "2020-02-01"}
    again = api.ask("/api/benchmarks/tiny/submissions", {"scores": {"score": 98}}, BEARER, query=query)

    assert (again.status, again.body["detail"]) == (403, "player: the player of this row was erased; leave the row out")
    assert len(stack.results()) == 1


def test_a_row_is_of_all_parts_together(stack: StackHarness, take: Import) -> None:
    """It is whole on the main board, and on no board of some parts."""
    boards = [{"id": "first", "title": "First", "parts": ["one"]}]
    ranking = {**PLAYS["ranking"], "unfinished": "below"}
    stack.publish(make_benchmark(PLAYS, boards=boards, ranking=ranking))

    take("name,Coins,Time,date\nHeron,30,12.5,2020-02-01\n", "--kind", "human", benchmark="plays")

    rows = stack.head("plays").rows
    assert (rows.name, rows.scores["Coins"], rows.scores["#done"]) == (("Heron",), (30,), (2,))
    first = stack.find_head("plays", "first")
    assert first is None or first.total == 0


def test_rank_before_is_of_a_whole_row(stack: StackHarness, api: Api, take: Import, work: Callable[[], None]) -> None:
    """An earlier row of all parts together has done all of them."""
    stack.publish(make_benchmark(PLAYS, ranking={**PLAYS["ranking"], "unfinished": "below"}))
    take("name,Coins,Time,date\nAda,6,1,2020-01-01\nBob,4,1,2020-01-01\nHeron,5,1,2020-02-01\n", benchmark="plays")

    query = {"player": "Heron", "taken_over": "2021-01-01"}
    scores = {"scores": {"Coins": 9, "Time": 1}}
    later = api.ask("/api/benchmarks/plays/submissions", scores, BEARER, query=query).body
    work()
    stack.follow_all()

    read = api.get(later["status_url"]).body
    assert (read["rank"], read["rank_before"]) == (1, 2)


def test_only_owners_import_what_fits(api: Api, stack: StackHarness, take: Import) -> None:
    """A score out of bounds, an unknown metric, a day to come, and a stranger change nothing."""
    path = "/api/benchmarks/tiny/submissions"
    wrong = [
        ({"scores": {"score": 101}}, "2020", 422),
        ({"scores": {"other": 1}}, "2020-01-01", 422),
        ({"scores": {"score": 1}}, "2999-01-01", 422),
        ({"scores": {"score": 1}, "link": "javascript:alert(1)"}, "2020-01-01", 422),
    ]
    for body, date, status in wrong:
        query = {"player": "Heron", "taken_over": date}
        answer = api.ask(path, body, BEARER, query=query)
        assert answer.status == status, answer.text
    query = {"player": "Heron", "taken_over": "2020-01-01"}
    assert api.ask(path, {"scores": {"score": 1}}, query=query).status == 401
    player = stack.issue_token(make_player("eve", "Eve"), Scope.SUBMIT, benchmarks=("tiny",))
    assert api.ask(path, {"scores": {"score": 1}}, player, query=query).status == 403
    assert stack.results() == []
