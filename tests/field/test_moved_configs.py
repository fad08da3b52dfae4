"""What a contest limits, hides and ranks by moves with it, or is said; and no config is answered by a traceback."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.exit_codes import UsageError
from cli.moving.codabench import move_bundle
from cli.moving.evalai import move_challenge
from scoring_core.benchmarks.loading import load_folder
from tests.harness.archives import make_zip, zip_files
from tests.harness.command_line import laurel
from tests.harness.moved import BUNDLE, CASES, CHALLENGE, CONFIGS, copy_case, make, run

V1 = """
title: !!python/unicode 'A bundle of the first version'
has_registration: true
force_submission_to_leaderboard: true
html: {overview: overview.html, terms: terms.md}
phases:
  2: {phasenumber: 2, label: Final, start_date: 2026-06-01, scoring_program: prog.zip, reference_data: ref.zip}
  1: {phasenumber: 1, label: Dev, start_date: 2026-01-01, scoring_program: prog.zip, reference_data: ref.zip,
      max_submissions: 7, leaderboard_management_mode: hide_results}
leaderboard:
  leaderboards: {RESULTS: &R {label: Results, rank: 1}}
  columns:
    priv: {leaderboard: *R, label: Private, rank: 2, sort: asc, numeric_format: 4}
    pub: {leaderboard: *R, label: Public, rank: 1}
    mean: {leaderboard: *R, label: Mean, rank: 3, computed: {operation: Avg, fields: "pub, priv"}}
"""


def set_phase(**values: Any) -> Callable[[Any], None]:
    """Return a change of the first phase of either platform."""
    return lambda config: config.get("phases", config.get("challenge_phases"))[0].update(values)


def set_board(**values: Any) -> Callable[[Any], None]:
    """Return a change of the leaderboard of a bundle."""
    return lambda config: config["leaderboards"][0].update(values)


def set_split(**values: Any) -> Callable[[Any], None]:
    """Return a change of a challenge's first split."""
    return lambda config: config["challenge_phase_splits"][0].update(values)


@pytest.mark.parametrize(
    ("case", "change", "where", "value", "note"),
    [
        (BUNDLE, set_phase(), "submissions.in_all", 20, "max_submissions_per_day: 0, no limit, there"),
        (BUNDLE, set_phase(), "submissions.per_day", 10_000, ""),
        (BUNDLE, set_phase(), "submissions.anonymous", False, "players need a token"),
        (BUNDLE, set_phase(), "rules", "I accept", ""),
        (BUNDLE, set_phase(execution_time_limit=-5), "parameters.timeout_seconds", 120, "120 s here, 600 s there"),
        (CHALLENGE, set_phase(allowed_submission_file_types=[".csv", ".h5"]), "submissions.takes", ["csv"], ""),
        (BUNDLE, set_phase(), "ranking.keep", "latest", "hidden columns, left out: priv"),
        (BUNDLE, set_phase(), "ranking.by", ["pub", "both"], ""),
        (BUNDLE, set_board(primary_index=2), "ranking.by", ["both", "pub"], ""),
        (BUNDLE, set_board(submission_rule="Force_Best"), "ranking.keep", "best", ""),
        (BUNDLE, set_board(submission_rule="Add"), "ranking.keep", "best", "submission_rule: Add there"),
        (BUNDLE, set_board(hidden=True), "listed", False, "the leaderboard is hidden there"),
        (BUNDLE, set_phase(hide_output=True), "scorer", "script", "hide_output: here, too"),
        (BUNDLE, set_phase(max_submissions=5000), "submissions.in_all", 1000, "max_submissions: 5000 there"),
        (BUNDLE, set_phase(max_submissions_per_day=100_000), "submissions.per_day", 10_000, "per_day: 100000 there"),
        (CHALLENGE, set_phase(), "ranking.by", ["F1"], "max_submissions_per_month: 20: no such limit here"),
        (CHALLENGE, set_phase(), "submissions.in_all", 30, ""),
        (CHALLENGE, set_phase(), "listed", False, "the board is hidden there (a_split)"),
        (CHALLENGE, set_phase(max_submissions_per_day=0), "submissions.per_day", 1, "0, nobody may submit, there"),
        (CHALLENGE, set_phase(leaderboard_public=False), "listed", False, "the board is hidden there"),
        (CHALLENGE, set_split(show_leaderboard_by_latest_submission=True), "ranking.keep", "latest", ""),
    ],
)
def test_what_a_contest_limits_moves_or_is_said(  # noqa: PLR0917  # a row of the table
    case: str, change: Callable[[Any], None], where: str, value: object, note: str, tmp_path: Path
) -> None:
    """Limits, terms, what counts, what ranks and what is hidden are in the definition; of the rest there is a note."""
    printed = make(tmp_path / "made", "--from", str(copy_case(case, tmp_path / "origin", change)))

    found: Any = yaml.safe_load((tmp_path / "made" / "benchmark.yaml").read_text())
    for key in where.split("."):
        found = found[key]
    assert found == value
    assert note in " ".join(printed.split())


@pytest.mark.parametrize(
    ("descends", "ascending", "directions"),
    [
        (True, {"F1": True}, ["higher", "higher", "higher"]),
        (False, {"F1": False, "Seconds": True}, ["higher", "lower", "lower"]),
        (True, {"Macro F1": True}, ["lower", "higher", "higher"]),
    ],
)
def test_challenge_ranks_in_the_direction_of_its_split(
    *, descends: bool, ascending: dict[str, bool], directions: list[str], tmp_path: Path
) -> None:
    """`sort_ascending`, which the starter has for every metric, turns only columns that do not rank."""

    def change(config: Any) -> None:
        config["leaderboard"][0]["schema"]["metadata"] = {
            label: {"sort_ascending": value} for label, value in ascending.items()
        }
        config["challenge_phase_splits"][0]["is_leaderboard_order_descending"] = descends

    make(tmp_path / "made", "--from", str(copy_case(CHALLENGE, tmp_path / "origin", change)))

    headers = load_folder(tmp_path / "made").definition.score_type.headers
    assert [header.direction.value for header in headers] == directions


@pytest.mark.parametrize(
    ("case", "change", "reason"),
    [
        (CHALLENGE, lambda c: c["leaderboard"][0]["schema"].update(default_order_by="Total"), "found 'Total'"),
        (BUNDLE, set_board(primary_index=1), "priv ranks there and is hidden"),
        (BUNDLE, lambda c: c["leaderboards"][0]["columns"][2].update(computation="median"), "one of avg, sum, min"),
        (BUNDLE, lambda c: c["tasks"][0].update(ingestion_program="x"), "ingestion program"),
        (CHALLENGE, set_phase(test_annotation_file="nil.json"), "test_annotation_file: expected a file, found none"),
        (BUNDLE, lambda c: c["leaderboards"][0]["columns"][0].update(key="k" * 65), "this cannot be a benchmark here"),
    ],
)
def test_what_cannot_move_is_said(case: str, change: Callable[[Any], None], reason: str, tmp_path: Path) -> None:
    """Nothing is made that would rank by another metric, or that `laurel check` would refuse."""
    done = laurel("new", str(tmp_path / "made"), "--from", str(copy_case(case, tmp_path / "origin", change)))

    assert isinstance(done.exception, UsageError)
    assert reason in str(done.exception)
    assert not (tmp_path / "made").exists()


def test_computed_column_is_computed_over_hidden_ones(tmp_path: Path) -> None:
    """The hidden column is not shown, and counts in the mean as on its platform."""
    make(tmp_path / "made", "--from", str(copy_case(BUNDLE, tmp_path / "origin")))

    scored = run(tmp_path / "made", zip_files({"answer.json": b"[4711, 815, 1]"}), "good.zip")

    assert scored.scores == {"pub": 2.0, "both": 3.0}


def copy_first_version(folder: Path) -> Path:
    """Write a bundle of CodaLab's first version, with the program and the truth of the other one in ZIPs."""
    folder.mkdir()
    (folder / "competition.yaml").write_text(V1)
    (folder / "overview.html").write_text("<h1>Numbers</h1>\n<p>Guess  three.</p>")
    (folder / "terms.md").write_text("# Terms\n\nI\u200b accept\n")
    for name, command in (("prog", "command: python $program/score.py $input $output\n"), ("ref", "")):
        files = {path.name: path.read_bytes() for path in (CASES / BUNDLE / name).iterdir()}
        if command:
            files = {"score.py": files["score.py"], "metadata": command.encode()}
        (folder / f"{name}.zip").write_bytes(zip_files(files))
    return folder


def test_bundle_of_the_first_version_becomes_a_benchmark(tmp_path: Path) -> None:
    """Mappings in place of lists, pages under `html`, the programs in the phase: read as Codabench reads them."""
    printed = make(tmp_path / "made", "--from", str(copy_first_version(tmp_path / "v1")))

    scored = run(tmp_path / "made", zip_files({"answer.json": b"[4711, 815, 1]"}), "good.zip")

    benchmark = load_folder(tmp_path / "made")
    definition = benchmark.definition
    assert scored.scores == {"pub": 2.0, "priv": 4.0}
    assert (definition.title, definition.rules, definition.listed) == (
        "A bundle of the first version",
        "# Terms I accept",
        False,
    )
    assert (definition.submissions.in_all, definition.ranking.keep, definition.ranking.by) == (
        7,
        "latest",
        ("pub", "priv"),
    )
    assert benchmark.description == "<p>Numbers</p>\n<p>Guess three.</p>\n"
    assert "hidden columns, left out: mean" in printed
    assert "left out: Final" in printed


@pytest.mark.parametrize("around", ["", "my-bundle/"])
def test_zip_of_a_bundle_is_read(around: str, tmp_path: Path) -> None:
    """A bundle is a ZIP wherever it can be downloaded, with a folder around it or without, and with what a Mac adds."""
    root = CASES / BUNDLE
    files = [(f"{around}{path.relative_to(root)}", path.read_bytes()) for path in root.rglob("*") if path.is_file()]
    (tmp_path / "bundle.zip").write_bytes(make_zip(*files, (f"__MACOSX/{around}._terms.md", b"x")))

    make(tmp_path / "made", "--from", str(tmp_path / "bundle.zip"))

    assert load_folder(tmp_path / "made").definition.title == "Guess three numbers"


@pytest.mark.parametrize(
    ("case", "key", "path"),
    [
        (BUNDLE, "pages", [{"file": "../private/id.md"}]),
        (BUNDLE, "terms", "OUTSIDE/id.md"),
        (BUNDLE, "terms", "link.md"),
        (BUNDLE, "solutions", [{"path": "OUTSIDE"}]),
        (BUNDLE, "tasks", [{"index": 0, "scoring_program": "prog", "reference_data": "OUTSIDE"}]),
        (BUNDLE, "tasks", [{"index": 0, "scoring_program": "prog", "reference_data": "linked"}]),
        (BUNDLE, "tasks", [{"index": 0, "scoring_program": "prog", "reference_data": "holder"}]),
        (BUNDLE, "tasks", [{"index": 0, "scoring_program": "prog/../../private"}]),
        (CHALLENGE, "description", "../private/id.md"),
        (CHALLENGE, "description", "link.md"),
        (CHALLENGE, "evaluation_script", "linked.zip"),
        (CHALLENGE, "challenge_phases", [{"id": 1, "test_annotation_file": "OUTSIDE/id.md"}]),
        (CHALLENGE, "challenge_phases", [{"id": 1, "test_annotation_file": "linked/id.md"}]),
    ],
)
def test_nothing_outside_of_the_foreign_folder_is_read(case: str, key: str, path: object, tmp_path: Path) -> None:
    """A path that a stranger wrote leads nowhere else, and neither does a link."""
    outside = tmp_path / "private"
    outside.mkdir()
    (outside / "id.md").write_text("a secret of the organiser")
    (outside / "metadata.yaml").write_text("command: python3 score.py")
    value = json.loads(json.dumps(path).replace("OUTSIDE", str(outside)))
    origin = copy_case(case, tmp_path / "origin", lambda config: config.update({key: value}))
    (origin / "linked").symlink_to(outside)
    (origin / "link.md").symlink_to(outside / "id.md")
    (origin / "holder").mkdir()
    (origin / "holder" / "id.md").symlink_to(outside / "id.md")

    done = laurel("new", str(tmp_path / "made"), "--from", str(origin))

    assert isinstance(done.exception, UsageError)
    assert re.search("inside of this folder|: a link;", str(done.exception))
    assert not (tmp_path / "made").exists()


def test_a_text_where_a_file_is_named_is_no_file(tmp_path: Path) -> None:
    """Too long a name is that of no file: the challenge is read without its page."""
    origin = copy_case(CHALLENGE, tmp_path / "origin", lambda config: config.update({"description": "words " * 900}))

    done = laurel("new", str(tmp_path / "made"), "--from", str(origin))

    assert done.exception is None, done.exception


def test_zip_with_a_path_that_leads_out_is_refused(tmp_path: Path) -> None:
    """A bundle that is a ZIP writes nothing beside the folder into which it is unpacked."""
    (tmp_path / "bundle.zip").write_bytes(make_zip(("competition.yaml", b"phases: []"), ("../out.txt", b"x")))

    done = laurel("new", str(tmp_path / "made"), "--from", str(tmp_path / "bundle.zip"))

    assert isinstance(done.exception, UsageError)


def list_changes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield each place of a config, with what is put there; `...` for nothing."""
    places = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in places:
        for put in (..., None, "x", [["x"]]):
            yield (*path, key), put
        yield from list_changes(inner, (*path, key))


@pytest.mark.parametrize("case", [BUNDLE, *(pytest.param(case, marks=pytest.mark.long) for case in (CHALLENGE, "v1"))])
def test_no_change_of_one_key_ends_in_a_traceback(case: str, tmp_path: Path) -> None:
    """Whatever is left out or put elsewhere in a config, a benchmark is made or a sentence says why not."""
    origin = copy_first_version(tmp_path / "v1") if case == "v1" else copy_case(case, tmp_path / case)
    move = move_challenge if case == CHALLENGE else move_bundle
    config = origin / CONFIGS.get(case, "competition.yaml")
    base = yaml.safe_load(config.read_text().replace("!!python/unicode", ""))
    ends = set()
    for path, put in list_changes(base):
        changed = copy.deepcopy(base)
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        if put is ...:
            del holder[path[-1]]
        else:
            holder[path[-1]] = put
        config.write_text(json.dumps(changed, default=str))
        try:
            ends.add(bool(move(origin, "made").files))
        except UsageError as error:
            ends.add(str(error) == "")

    assert ends == {True, False}
