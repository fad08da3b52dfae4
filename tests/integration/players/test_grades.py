"""The grades of a contest: who is in them, by which name and number, with what, before and after the final."""

import csv
import io
from typing import Any

import pytest

from scoring_core.io.csv_text import write_table
from tests.harness.command_line import connect_commands, laurel
from tests.integration.benchmarks.test_final import (
    FUTURE,
    GOOD,
    LUCKY,
    SCHEDULE,
    STEADY,
    Contest,
    empty,  # noqa: F401  # the fixture
)
from tests.integration.players.test_mailed_invitations import Post, code_of

CLASS = [
    "E-Mail;Name;Matrikelnummer",
    "ada@example.org;Lovelace, Ada;0017",
    "bea@example.org;=Bea;18",
    "cy@example.org;Cy;19",
]
WHO = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


def read_grades(contest: Contest, **query: str) -> list[dict[str, str]]:
    """Return the lines of the grades."""
    answer = contest.api("GET", "/api/benchmarks/tiny/grades", query=query, headers=contest.owner)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    delimiter = ";" if query else ","
    return list(csv.DictReader(io.StringIO(answer.body.removeprefix("\ufeff"), newline=""), delimiter=delimiter))


def cells(lines: list[dict[str, str]], *columns: str) -> list[tuple[str, ...]]:
    """Return some columns."""
    return [tuple(line[column] for column in columns) for line in lines]


@pytest.fixture
def course(empty: Contest) -> tuple[Contest, dict[str, Any]]:  # noqa: F811  # the fixture
    """A class of three, of whom two joined and handed in, and a guest; it has closed, and takes late tries."""
    terms = {"submissions": {"late": "scored"}}
    empty.publish(closes=FUTURE, **terms)
    empty.ask("invite/mail", {"addresses": CLASS, "note": "7b"})
    post = Post(empty.stack)
    post.flush()
    codes = {str(mail["To"])[:3]: code_of(mail) for mail in post.sent()}
    joined = {}
    for player, tries in (("ada", (STEADY, LUCKY)), ("bea", (GOOD, {"question": "9"}))):
        body = {"code": codes[player], "name": player.title()}
        joined[player] = empty.api.ask("/api/invitations/join", body).body
        for result in tries:
            empty.api.post(result, headers=bearer(joined[player]))
    empty.api.post(LUCKY, query={"player": "Gus"})
    empty.publish(**terms)
    empty.work()
    empty.api.post(LUCKY, headers=bearer(joined["ada"]))
    empty.work()
    return empty, joined


def bearer(joined: dict[str, Any]) -> dict[str, str]:
    """Return the credentials of a player who joined."""
    return {"Authorization": f"Bearer {joined['secret']}"}


def test_line_for_each_player_who_was_invited_or_has_a_row(course: tuple[Contest, dict[str, Any]]) -> None:
    """Names, addresses and numbers are the list's, numbers are numbers, and of a guest there is the id."""
    contest, joined = course

    lines = read_grades(contest)

    (guest,) = [line["player"] for line in lines if line["name"] == "Gus"]
    assert list(lines[0])[:5] == WHO
    assert cells(lines, *WHO[:1], *WHO[2:4], "player") == [
        ("Lovelace, Ada", "0017", "ada@example.org", joined["ada"]["player"]),
        ("'=Bea", "18", "bea@example.org", joined["bea"]["player"]),
        ("Gus", "", guest, guest),
        ("Cy", "19", "cy@example.org", ""),
    ]
    assert cells(lines, "rank public", "score public", "rank final", "score final") == [
        ("1", "39.5", "", ""),
        ("2", "38.25", "", ""),
        ("3", "36.75", "", ""),
        ("", "", "", ""),
    ]
    assert cells(lines, "tries", "late", "extended") == [
        ("2", "1", "false"),
        ("2", "0", "false"),
        ("1", "0", "false"),
        ("0", "0", "false"),
    ]
    assert [len(line["last (UTC)"]) for line in lines] == [19, 19, 19, 0]
    assert lines[0]["best (UTC)"] <= lines[0]["last (UTC)"]


def test_final_stands_beside_what_was_public(course: tuple[Contest, dict[str, Any]]) -> None:
    """Both ranks and values of everybody, in the order of the final; an erased player is nowhere."""
    contest, joined = course
    contest.reveal()
    SCHEDULE.invoke({"benchmark": "tiny"})
    contest.work()

    lines = read_grades(contest, decimal="comma")
    contest.api.ask("/api/me/erasure", {"confirm": joined["bea"]["player"]}, bearer(joined["bea"]))
    contest.work()

    assert cells(lines, "name", "rank public", "score public", "rank final", "score final") == [
        ("Gus", "3", "36,75", "1", "50,0"),
        ("Bea", "2", "38,25", "2", "48,5"),
        ("Ada", "1", "39,5", "3", "47,25"),
        ("", "", "", "", ""),
    ]
    assert cells(read_grades(contest), "name") == [("Gus",), ("Ada",), ("",)]
    stored = str(contest.stack.items("AccessTable"))
    assert [text in stored for text in ("bea@example.org", "=Bea", "'18'", "Lovelace")] == [False, False, False, True]


def test_command_prints_the_grades(course: tuple[Contest, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """As a spreadsheet opens them, for the owner alone."""
    contest, joined = course
    connect_commands(contest.api, monkeypatch)
    token = contest.owner["Authorization"].removeprefix("Bearer ")

    done = laurel("submissions", "tiny", "--grades", "--decimal-comma", token=token)
    refused = laurel("submissions", "tiny", "--grades", token=joined["ada"]["secret"])

    assert (done.exit_code, "scope `own`" in str(refused.exception)) == (0, True), refused.exception
    assert done.stdout.splitlines()[1].startswith("Lovelace, Ada;;0017;ada@example.org;;Ada;")


def test_text_with_the_mark_between_cells_is_in_quotes() -> None:
    """Semicolons are text where commas separate, and the other way round; versions keep their points."""
    line = ["a;b", "a,b", 0.5, "1.5"]

    assert write_table([line]) == '\ufeffa;b,"a,b",0.5,1.5\r\n'
    assert write_table([line], decimal_comma=True) == '\ufeff"a;b";a,b;0,5;1.5\r\n'
