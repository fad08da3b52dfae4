"""The errors of a folder that is no benchmark: file, key, what was expected, what was found."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from cli.commands.benchmarks.scoring import check
from scoring_core.benchmarks import bundle
from scoring_core.benchmarks.definition import Definition
from scoring_core.benchmarks.loading import load_folder
from scoring_core.benchmarks.validation import PATTERNS
from scoring_core.errors import BenchmarkError

T0 = "2026-01-01T00:00:00Z"
WHERE = "coin-run/benchmark.yaml: "
SAMPLE_IS_NO_JSON = "coin-run/examples/sample.json: players see it as the body to send: expected JSON: "
TRUTH = b"id,type,scene_id,video_id,points\nq1,TR,L1,V1,1-2\n"

EVENT_DECAY: dict[str, Any] = {
    "scorer": "event_decay",
    "ground_truth": "truth.csv",
    "score_type": {"headers": [{"name": "score", "type": "float"}]},
    "ranking": {"by": ["score"]},
}
"""What makes the game a benchmark of questions."""

type WriteFolder = Callable[..., Path]


def full_duplex(metric: str) -> dict[str, Any]:
    """Return what makes the game a benchmark of conversations, with one metric."""
    return {
        "scorer": "full_duplex",
        "score_type": {"headers": [{"name": metric, "type": "float"}]},
        "ranking": {"by": [metric]},
    }


def fault(folder: Path) -> str:
    """Return the message with which a folder is refused."""
    with pytest.raises(BenchmarkError) as caught:
        load_folder(folder)
    return caught.value.message


def changed(game: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return the game with one key set; `path` is dotted."""
    *steps, last = path.split(".")
    inner = game
    for step in steps:
        inner = inner.setdefault(step, {})
    inner[last] = value
    return game


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("titel", "x", "titel: unknown key; did you mean 'title'?"),
        ("results", "all", "results: expected 'private' or 'public', found 'all'"),
        ("xyzzy", 1, "xyzzy: unknown key; known are id, title, summary, tags, links, baselines, listed, "),
        ("parameters.timeout", 3, "parameters.timeout: unknown key; did you mean 'timeout_seconds'?"),
        ("score_type.headers", [{"name": "Coins", "type": "int", "minimum": 0}],
         "score_type.headers[0].minimum: unknown key; did you mean 'min'?"),
        ("links", [{"label": "Play", "url": "javascript:alert(1)"}],
         "links[0].url: expected an address such as https://example.com/play, found 'javascript:alert(1)'"),
        ("baselines", ["ada", "Ada!"], "baselines[1]: expected a player's id, or PLAYER/LABEL, found 'Ada!'"),
        ("baselines", ["ada/\u202ea"], "baselines[0]: expected one line without control, invisible"),
        ("baselines", ["ada"] * 9, "baselines: "),
        ("title", 5, "title: expected text, found 5; put it into quotes"),
        ("title", "", "title: string must have at least 1 character, found ''"),
        ("ranking.keep", "bets", "ranking.keep: expected 'best', 'latest', 'mean' or 'sum', found 'bets'"),
        ("ranking.by", ["Coin"], "ranking.by: 'Coin' is no metric of score_type; did you mean 'Coins'?"),
        ("ranking.by", [], "ranking.by: expected at least 1, found 0"),
        ("review", "Tim < 20", "review: 'Tim' is no metric of score_type; did you mean 'Time'?"),
        ("review", {"form": T0}, "review.form: unknown key; did you mean 'from'?"),
        ("review", {"shows": "owner"}, "review: expected when, or from, which until needs, or both"),
        ("review", {"when": "Time < 2", "until": "final"}, "review: expected when, or from, which until needs"),
        ("review", {"from": T0, "until": "final"}, "review.until: expected a time, or a final in this file"),
        ("review", {"from": T0, "until": "2026-01-01"}, "review.until: expected final, or a time with its zone, "),
        ("review", {"from": T0, "until": T0}, "review.from: expected a time before until (2026-01-01"),
        ("ranking", None, "ranking: expected a mapping, key: value, found None"),
        ("scorer", "scrip",
         "scorer: expected one of event_decay, full_duplex, squad_v2, iqa_fusion, table, fields, script, found "),
        ("submissions.max_bytes", 2_000_000_001,
         "submissions.max_bytes: expected less than or equal to 2000000000, found 2000000001"),
        ("keep_results", "90d", "keep_results: expected runs_on: own beside it"),
        ("submissions.max_bytes", 20_000_001,
         "submissions.max_bytes: expected at most 20000000 without runs_on: own, found 20000001"),
        ("parameters.timeout_seconds", 121,
         "parameters.timeout_seconds: expected at most 120 with `runs_on: platform`, found 121"),
        ("parameters.memory_mib", 2049,
         "parameters.memory_mib: expected at most 2048 with `runs_on: platform`, found 2049"),
        ("score_type.headers", [{"name": "Coins", "type": "int", "min": "0"}],
         "score_type.headers[0].min: expected a finite number, found '0'"),
        ("score_type.headers", [{"name": "Coins", "type": "int", "max": 10**400}],
         "score_type.headers[0].max: expected a finite number, found 1000000"),
        ("score_type.headers", [{"name": "Coins", "type": "int", "min": 3, "max": 1}],
         "score_type.headers[0]: min 3 is above max 1"),
        ("parts", ["level 1"],
         "parts[0]: expected 1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit, found 'level 1'"),
        ("parts", ["a", "b", "a"], "parts: the part 'a' is there twice"),
        ("ground_truth", "../truth.json",
         "ground_truth: expected the name of a file in this folder: letters, "),
        ("ground_truth", "description.md", "ground_truth: expected a file of its own, found 'description.md'"),
        ("ground_truth", "truth.json", "ground_truth: there is no plain file 'truth.json' beside benchmark.yaml"),
        ("runs", {"seed": "daily"}, "runs.ticket: missing"),
        ("runs", {"ticket": "maybe"}, "runs.ticket: expected 'required', found 'maybe'"),
        ("runs", {"ticket": "required", "max_age": "2 hours"},
         "runs.max_age: expected a duration such as 90s, 5m, 2h or 1d, found '2 hours'"),
        ("runs", {"ticket": "required", "max_age": 7200},
         "runs.max_age: expected a duration such as 90s, 5m, 2h or 1d, found 7200"),
        ("runs", {"ticket": "required", "max_age": "8d"}, "runs: max_age: expected 1s to 7d, found 8d"),
        ("runs", {"ticket": "required", "max_age": "1m", "at_least": "60s"},
         "runs: at_least: expected less than max_age (1m), found 60s"),
        ("contacts.owner", "nobody", "contacts.owner: expected a mail address"),
        ("id", "Coin Run", "id: expected 1 to 64 of a to z, 0 to 9 and -, found 'Coin Run'"),
        ("id", "coin-walk", "id: expected 'coin-run', the folder's name, found 'coin-walk'"),
    ],
)  # fmt: skip
def test_wrong_key_is_reported_in_one_line(
    game: dict[str, Any], write_folder: WriteFolder, path: str, value: object, message: str
) -> None:
    """One wrong key gives one line that names the file, the key, what was expected and what was found."""
    folder = write_folder(changed(game, path, value))

    text = fault(folder)

    assert text.startswith(WHERE + message)
    assert "\n" not in text


@pytest.mark.parametrize("key", ["id", "title", "summary", "scorer", "score_type", "ranking", "contacts"])
def test_missing_key_is_named(game: dict[str, Any], write_folder: WriteFolder, key: str) -> None:
    """Seven keys are required; each that is missing is named."""
    del game[key]

    assert fault(write_folder(game, {"evaluate.py": b""})) == f"{WHERE}{key}: missing"


def test_only_seven_keys_required(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """The seven are enough."""
    assert set(game) == {"id", "title", "summary", "scorer", "score_type", "ranking", "contacts"}

    assert load_folder(write_folder(game)).definition.id == "coin-run"


@pytest.mark.parametrize(
    "value", ["2026-01-01T00:00:00", "2026-01-01 00:00:00", "2026-01-01", "5", "'1767225600'", "true", "'2026-01-01'"]
)
@pytest.mark.parametrize("key", ["opens", "closes"])
def test_time_without_zone(game: dict[str, Any], write_folder: WriteFolder, key: str, value: str) -> None:
    """A time without a zone, a bare date and a bare number are refused with an example of what is meant."""
    folder = write_folder(game)
    path = folder / "benchmark.yaml"
    path.write_text(f"{path.read_text()}{key}: {value}\n")

    text = fault(folder)

    assert text.startswith(f"{WHERE}{key}: expected a time with its zone, such as 2026-01-01T00:00:00Z, found ")


@pytest.mark.parametrize(
    ("keys", "files", "message"),
    [
        ({"opens": T0, "closes": "2026-01-01T01:00:00+02:00"}, {}, "opens: expected a time before closes"),
        ({"review": {"from": T0}, "closes": T0}, {}, "review.from: expected a time before closes (2026-01"),
        ({"review": {"from": T0}, "windows": ["daily"]}, {}, "review.from: expected no windows"),
        ({"scorer": "squad_v2", "ground_truth": "truth.csv", "parameters": {}, "runs": {"ticket": "required"}}, {},
         "runs: expected the scorer fields or script, found squad_v2"),
        (full_duplex("Total delay"), {},
         "score_type.headers[0].name: scorer full_duplex never yields 'Total delay'; did you mean 'Total Delay'?"),
        (full_duplex("Total Delay") | {"parts": ["cn"]}, {}, "parts: 'cn': scorer full_duplex has no parts"),
        (EVENT_DECAY | {"ground_truth": None}, {}, "ground_truth: scorer event_decay needs one; name its file here"),
        (EVENT_DECAY | {"parts": ["q1", "q9"]}, {"truth.csv": TRUTH}, "parts: 'q9': is not in truth.csv"),
    ],
)  # fmt: skip
def test_keys_that_do_not_go_together(
    game: dict[str, Any], write_folder: WriteFolder, keys: dict[str, Any], files: dict[str, Any], message: str
) -> None:
    """Each error says which key is wrong beside another one, or beside the files."""
    folder = write_folder(game | keys, files)

    assert fault(folder).startswith(WHERE + message)


def test_several_faults_at_once(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """Every fault has its line, so that one try shows them all."""
    del game["title"]
    game["ranking"]["keep"] = "worst"
    game["tag"] = "game"

    lines = fault(write_folder(game)).split("\n")

    assert lines == [
        f"{WHERE}title: missing",
        f"{WHERE}ranking.keep: expected 'best', 'latest', 'mean' or 'sum', found 'worst'",
        f"{WHERE}tag: unknown key; did you mean 'tags'?",
    ]


def test_at_most_ten_faults(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """Of very many faults ten are shown, and the rest counted."""
    game |= {f"key{index}": 1 for index in range(12)}

    lines = fault(write_folder(game)).split("\n")

    assert len(lines) == 11
    assert lines[-1] == f"{WHERE}and 2 more"


def test_faults_of_files_together(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """What is wrong between the definition and the files is said at once as well."""
    game |= {"scorer": "event_decay", "ground_truth": "truth.csv"}
    files = {"evaluate.py": b"", "description.md": b"\xff", "examples/sample.json": b'"\xc3'}

    lines = fault(write_folder(game, files)).split("\n")

    assert lines == [
        f"{WHERE}ground_truth: there is no plain file 'truth.csv' beside benchmark.yaml",
        f"{WHERE}scorer: event_decay has no use for evaluate.py; did you mean script?",
        f"{WHERE}score_type.headers[0].name: scorer event_decay never yields 'Coins'; known are score",
        f"{WHERE}score_type.headers[1].name: scorer event_decay never yields 'Time'; known are score",
        "coin-run/description.md: not UTF-8 (byte 0)",
        SAMPLE_IS_NO_JSON + "not UTF-8 (byte 1)",
    ]


def test_too_many_parts(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """A run over more parts than a record can hold is refused when the benchmark is loaded, not when it is scored."""
    rows = b"".join(b"q%d,TR,L1,V1,1-2\n" % index for index in range(1001))

    text = fault(write_folder(game | EVENT_DECAY, {"truth.csv": TRUTH.splitlines(keepends=True)[0] + rows}))

    assert text == "coin-run/truth.csv: at most 1000 parts, found 1001"


def test_too_many_bytes(game: dict[str, Any], write_folder: WriteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that no one could unpack again is not packed."""
    monkeypatch.setattr(bundle, "MAX_BUNDLE_BYTES", 100)
    folder = write_folder(game)

    assert "at most 100 are published" in fault(folder)


def test_no_benchmark_here(tmp_path: Path) -> None:
    """The error of a folder without benchmark.yaml explains what a benchmark is."""
    assert fault(tmp_path) == f"{tmp_path}: no benchmark.yaml here; a benchmark is a folder that holds one"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a mapping, key: value, found None"),
        ("- id", "expected a mapping, key: value, found ['id']"),
        ("1: x\n", "keys must be strings, found 1"),
    ],
)
def test_definition_that_is_no_mapping_is_refused(write_folder: WriteFolder, text: str, message: str) -> None:
    """A file that is no mapping is rejected."""
    assert message in fault(write_folder(text))


def test_every_pattern_is_explained_in_words() -> None:
    """No message of benchmark.yaml shows a regular expression."""
    schema = json.dumps(Definition.model_json_schema())

    assert set(re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', schema)) == set(map(json.dumps, PATTERNS))


@pytest.mark.parametrize(("taken", "is_said"), [("json", True), ("zip", False)])
def test_check_notes_that_there_is_no_sample(
    game: dict[str, Any], write_folder: WriteFolder, capsys: pytest.CaptureFixture[str], taken: str, *, is_said: bool
) -> None:
    """Players are shown no sample where the folder has none; one that is no text is there."""
    with pytest.raises(typer.Exit):
        check(write_folder(game | {"submissions": {"takes": [taken]}}, {"examples/sample.zip": b"PK"}))

    sentence = f"no examples/sample.{taken}: the page that explains how to submit shows no sample"
    assert (sentence in capsys.readouterr().out) == is_said


def test_scorer_script_with_a_script_of_another_platform(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """EvalAI's main.py is recognised."""
    folder = write_folder(game | {"scorer": "script"})
    (folder / "evaluate.py").unlink(missing_ok=True)
    (folder / "main.py").write_text("def evaluate(test_annotation_file, user_submission_file, phase_codename): ...")

    assert fault(folder) == (
        f"{WHERE}scorer: script needs evaluate.py beside benchmark.yaml, or in evaluate/; main.py is not run: "
        "see docs/moving.md"
    )
