"""What each kind of token may do: one table over all routes, which the routes themselves fill."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from handlers.http import paths
from storage.players.tokens import Scope
from tests.harness.api_paths import ROUTES, make_body
from tests.harness.factories import make_player
from tests.harness.stack import Api, StackHarness, make_benchmark

TABLE = Path(__file__).with_name("rights.txt")
WRITING = "LAUREL_WRITE_RIGHTS"
"""The variable that lets a run write the table that it sees."""
CREDENTIALS = ["nobody", "receipt", "submit", "member", "host", "elsewhere", "work", "own", "organise", "admin"]
MEANINGS = {401: "who?", 403: "no", 404: "–"}
"""What is not refused is `yes`, even if the request is wrong: who may do it learns what is wrong with it."""
LISTS = ("", "?player=<player>", "?batch=<upload>", "?outcome=failed", "?in_review=true")
"""The lists of submissions, each of which has rights of its own."""
OTHERS = {paths.OPENAPI, paths.BOARD_FILE, paths.VERSION_FILE}
"""Documents and files that are the same for everybody."""


@pytest.fixture
def headers(stack: StackHarness, api: Api) -> dict[str, dict[str, str]]:
    """Credentials of every kind, of people who have nothing to do with the submission, and its address."""
    stack.publish(make_benchmark())
    stack.keep_account(make_player("olga", "Olga"))
    of_benchmark = {"benchmarks": ("tiny",)}
    kinds = {
        "submit": stack.issue_token(make_player("bo", "Bo"), Scope.SUBMIT, **of_benchmark),
        "member": stack.issue_token(make_player("cy", "Cy"), Scope.SUBMIT, member="Di", **of_benchmark),
        "host": stack.issue_token(make_player("maze", "Maze"), Scope.HOST, **of_benchmark),
        "elsewhere": stack.issue_token(make_player("eve", "Eve"), Scope.OWN, benchmarks=("other",)),
        "work": stack.issue_token(make_player("gpu", "GPU"), Scope.WORK, **of_benchmark),
        "own": stack.issue_token(make_player("olga", "Olga"), Scope.OWN, **of_benchmark),
        "organise": stack.issue_token(make_player("finn", "Finn"), Scope.ORGANISE),
        "admin": stack.issue_token(make_player("gus", "Gus"), Scope.ADMIN),
    }
    other = api.post(query={"player": "Other"}).body["receipt"]
    return {"nobody": {}, "receipt": {"Authorization": f"Bearer {other}"}, **kinds}


def read_rows(api: Api, headers: dict[str, dict[str, str]], submission: str) -> Iterator[str]:
    """Yield a line for each route."""
    values = {"<benchmark>": "tiny", "<submission>": submission, "<player>": "guest", "<code>": "BBBBB-BBBBB"}
    values |= dict.fromkeys(("<upload>", "<publication>"), submission)
    values |= dict.fromkeys(("<invitation>", "<token>"), "0123456789ab")
    for path, method in sorted(ROUTES):
        if path in OTHERS or path.startswith(paths.DRES):
            continue
        for query in LISTS if (path, method) == (paths.SUBMISSIONS, "GET") else ("",):
            asked = path + query
            for name, value in values.items():
                asked = asked.replace(name, value)
            asked, _, parameters = asked.partition("?")
            cells = []
            for kind in reversed(CREDENTIALS):  # what the mightiest withdrew, only they may undo: they have by then
                sent: dict[str, Any] = {"headers": headers[kind], "query": dict(parse_qsl(parameters))}
                if method == "POST":
                    sent |= {"headers": {"Content-Type": "application/json", **headers[kind]}, "body": make_body(path)}
                answer = api(method, asked, **sent)
                cells.append(MEANINGS.get(answer.status, "yes"))
            yield f"{method:4} {path + query:68}" + "".join(f"{cell:11}" for cell in reversed(cells)).rstrip()


def test_rights_of_each_kind_of_token_are_as_the_table_says(api: Api, headers: dict[str, dict[str, str]]) -> None:
    """Over all routes: who is asked for a token, who is refused, who finds nothing, and who may."""
    submission = api.post(query={"player": "Ada"}).body["submission"]
    heading = " " * 73 + "".join(f"{kind:11}" for kind in CREDENTIALS).rstrip()

    table = "\n".join([heading, *read_rows(api, headers, submission), ""])

    if WRITING in os.environ:
        TABLE.write_text(table, encoding="utf-8")
    assert table == TABLE.read_text(encoding="utf-8")
