"""The grades of a contest: who is in them, by which name and number, with what, before and after the final."""

import csv
import io
from typing import Any

import pytest

from scoring_core.io.csv_text import write_table
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
TRIES = {"ada": (STEADY, LUCKY), "bea": (GOOD, {"question": "9"})}
"""Of those who join."""


def read_grades(contest: Contest, delimiter: str, **query: str) -> list[list[str]]:
    """Return the lines of the grades."""
    answer = contest.api("GET", "/api/benchmarks/tiny/grades.csv", query=query, headers=contest.owner)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.reader(io.StringIO(answer.body.removeprefix("\ufeff"), newline=""), delimiter=delimiter))


@pytest.fixture
def course(empty: Contest) -> tuple[Contest, dict[str, Any]]:  # noqa: F811  # the fixture
    """A class of three, of whom two joined and handed in, and a guest; it has closed, and takes late tries."""
    terms = {"submissions": {"late": "scored"}}
    empty.publish(closes=FUTURE, **terms)
    empty.ask("invite/mail", {"addresses": CLASS, "note": "7b"})
    post, joined = Post(empty.stack), {}
    post.flush()
    for mail in post.sent():
        player = str(mail["To"]).partition("@")[0]
        if player in TRIES:
            body = {"code": code_of(mail), "name": player.title()}
            joined[player] = empty.api.ask("/api/invitations/join", body).body
    for player, tries in TRIES.items():
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
    """Names, addresses and numbers are the list's, and of a guest there is the id."""
    contest, joined = course
    ada, bea = joined["ada"]["player"], joined["bea"]["player"]

    header, *lines = read_grades(contest, ",")

    guest, times = lines[2][6], [(line.pop(11), line.pop(11)) for line in lines]
    assert header[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert header[7:13] == ["rank public", "score public", "rank final", "score final", "best (UTC)", "last (UTC)"]
    assert [",".join(line[2:]) for line in lines] == [
        f"0017,ada@example.org,,Ada,{ada},1,39.5,,,2,1,false",
        f"18,bea@example.org,,Bea,{bea},2,38.25,,,2,0,false",
        f",{guest},,Gus,{guest},3,36.75,,,1,0,false",
        "19,cy@example.org,,,,,,,,0,0,false",
    ]
    assert [line[0] for line in lines] == ["Lovelace, Ada", "'=Bea", "Gus", "Cy"]
    assert [(len(best), best <= last) for best, last in times] == [(19, True)] * 3 + [(0, True)]


def test_final_stands_beside_what_was_public(course: tuple[Contest, dict[str, Any]]) -> None:
    """Both ranks and values of everybody, in the order of the final; an erased player is nowhere."""
    contest, joined = course
    contest.reveal()
    SCHEDULE.invoke({"benchmark": "tiny"})
    contest.work()

    lines = read_grades(contest, ";", decimal="comma")
    contest.api.ask("/api/me/erasure", {"confirm": joined["bea"]["player"]}, bearer(joined["bea"]))
    contest.work()

    assert [" ".join([line[5], *line[7:11]]) for line in lines[1:]] == [
        *("Gus 3 36,75 1 50,0", "Bea 2 38,25 2 48,5", "Ada 1 39,5 3 47,25", "    "),
    ]
    assert [line[5] for line in read_grades(contest, ",")[1:]] == ["Gus", "Ada", ""]
    stored = str(contest.stack.items("AccessTable"))
    assert [text in stored for text in ("bea@example.org", "=Bea", "'18'", "Lovelace")] == [False, False, False, True]


def test_text_with_the_mark_between_cells_is_in_quotes() -> None:
    """Semicolons are text where commas separate, and the other way round; versions keep their points."""
    line = ["a;b", "a,b", 0.5, "1.5"]

    assert write_table([line]) == '\ufeffa;b,"a,b",0.5,1.5\r\n'
    assert write_table([line], decimal_comma=True) == '\ufeff"a;b";a,b;0,5;1.5\r\n'
