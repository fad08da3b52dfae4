"""docs/contest.md works when typed: from solution.csv to the grades, on a running stack."""

import csv
import json
import math
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from tests.e2e.conftest import Laurel
from tests.harness.waiting import wait_for

pytestmark = pytest.mark.e2e

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "contest.md").read_text()
MAX_WORDS = 900
COMMANDS = [shlex.split(line)[1:] for line in re.findall(r"^\$ (laurel .+)$", PAGE, re.MULTILINE)]
(TERMS,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
PRICES = [100, 200, 300, 410]
"""Of the houses; the last one is wrong, and is 400."""
GUESSES = {"ada": [100, 300, 300, 400], "bea": [100, 200, 310, 400], "cy": [100, 200, 300, 400]}
"""Of the class: by the public rows, the last two, Ada leads Bea, by the hidden ones Bea leads Ada; Cy has copied."""


def write_rows(path: Path, prices: list[int], *, usage: bool = False) -> None:
    """Write a solution or a submission."""
    half = [",Private", ",Private", ",Public", ",Public"] if usage else [""] * 4
    rows = [f"{number},{price}{half[number - 1]}" for number, price in enumerate(prices, 1)]
    path.write_text("\n".join([f"Id,price{',Usage' * usage}", *rows, ""]))


def test_page_is_short_and_lists_each_step() -> None:
    """A newcomer reads it in some minutes, and types what it shows."""
    assert len(PAGE.split()) <= MAX_WORDS
    assert [words[0] for words in COMMANDS] == [
        *("new", "check", "publish", "invite", "invite", "join", "submit", "publish", "rescore", "ban"),
        *("reveal", "reveal", "submissions"),
    ]


def test_contest_from_solution_to_grades(laurel: Laurel, stack: Stack, aggregator: Aggregator) -> None:
    """Each command of the page does what it says, in its order; what students type, each types once."""
    home, steps = stack.state.parent, iter(COMMANDS)

    def type_as(token: str, *words: str) -> str:
        done = laurel(*words, token=token)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def type_next(**values: str) -> str:
        words = [values.get(word, word) for word in next(steps)]
        return type_as(owner, *words[: words.index(">") if ">" in words else None])

    admin = (stack.state / "token").read_text().strip()
    owner = json.loads(type_as(admin, "token", "--player", "olga", "--scope", "organise", "--json"))["secret"]
    write_rows(home / "solution.csv", PRICES, usage=True)
    people = [f"{player}@example.org;{player.title()} L.;0{number}" for number, player in enumerate([*GUESSES, "di"])]
    (home / "class.csv").write_text("\n".join(["email;name;number", *people]))
    type_next()
    change_terms(home / "houses", yaml.safe_load(TERMS.replace("2026-", "2099-")))
    assert "as expected" in type_next()
    type_next()
    assert "4 invitations are on their way" in type_next()
    assert type_next().count("@example.org") == len(people)

    join, submit = next(steps), next(steps)
    joined = {}
    for player, guesses in GUESSES.items():
        words = [{"LINK": find_link(stack, player), "Ada": player.title()}.get(word, word) for word in join]
        joined[player] = json.loads(type_as("", *words, "--json"))
        write_rows(home / "submission.csv", guesses)
        assert "scored" in type_as(joined[player]["secret"], *submit)
    for file in ("solution.csv", "examples/right.csv"):
        (home / "houses" / file).write_text((home / "houses" / file).read_text().replace("410", "400"))
    type_next()
    type_next()
    assert "Cy" in type_as("", "board", "houses")
    type_next(PLAYER=joined["cy"]["player"])

    change_terms(home / "houses", {"closes": "2020-01-01T00:00:00Z"})  # the end has come
    publish_benchmark(load_folder(home / "houses"), aggregator)
    write_rows(home / "submission.csv", GUESSES["cy"])  # the best of all, and too late
    wait_for(lambda: '"late": true' in type_as(joined["ada"]["secret"], *submit, "--json"))
    public = type_as("", "board", "houses")
    checked, unchanged = type_next(), type_as("", "board", "houses")
    revealed, again = type_next(), type_as(owner, "reveal", "houses")
    grades = type_next()

    assert (public == unchanged, "shows its final already" in again, "Cy" in checked) == (True, True, False)
    assert grades[0] == "\ufeff"  # else Excel reads no UTF-8
    assert [text.index("Bea") < text.index("Ada") for text in (checked, revealed)] == [True, True]
    lines = list(csv.DictReader(grades[1:].splitlines()))
    columns = ("Student", "SIS User ID", "rank public", "rank final", "rmse final", "late")
    assert [[line[column] for column in columns] for line in lines] == [
        ["Bea L.", "01", "2", "1", "0.0", "0"],
        ["Ada L.", "00", "1", "2", repr(math.sqrt(5_000)), "1"],
        ["Cy L.", "02", "", "", "", "0"],
        ["Di L.", "03", "", "", "", "0"],
    ]


def change_terms(folder: Path, terms: Mapping[str, Any]) -> None:
    """Write keys into a definition, the last ones below the key that is there."""
    file = folder / "benchmark.yaml"
    before = yaml.safe_load(file.read_text())
    merged = {**before["submissions"], **terms.get("submissions", {})}
    file.write_text(yaml.safe_dump({**before, **terms, "submissions": merged}))


def find_link(stack: Stack, player: str) -> str:
    """Wait for the mail to somebody, and return the link in it."""
    mail = wait_for(
        lambda: next((mail for _, mail in stack.outbox.list_mails() if mail["To"] == f"{player}@example.org"), None)
    )
    part = mail.get_body(("plain",))
    assert part is not None
    return next(word for word in part.get_content().split() if "/join#" in word)
