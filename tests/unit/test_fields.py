"""`fields`: where a result's numbers are, what must be true of them, and what is made of them."""

import copy
import json
import re
from typing import Any

import pytest

from scoring_core.benchmarks.definition import Definition
from scoring_core.benchmarks.examples import check_examples
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.errors import BenchmarkError, InvalidResult
from scoring_core.judgement import judge, make_signature
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import TicketedRun
from scoring_core.scorers.fields import FieldsParameters
from scoring_core.scorers.fields.scoring import FieldsScorer
from tests.unit.conftest import WriteFolder

PARAMETERS: dict[str, Any] = {
    "fields": [
        {"name": "Coins", "at": "/coins", "type": "int", "min": 0, "max": 100},
        {"name": "time", "at": "/runs/0/time", "unit": "s", "min": 0},
    ],
    "metrics": {"Pace": "Coins / time"},
    "checks": [{"require": "time >= 3 or Coins == 0", "message": "nobody is that fast"}, {"require": "time < 100"}],
}
TIME = "time: expected a number of at least 0 s at /runs/0/time, found"
AT = "parameters.fields[0].at: expected a JSON pointer, such as /run/time, found"
CONDITION = "expected a condition, such as x >= 3, found a number (column 1)"
HEADERS = [{"name": "Coins", "type": "int", "max": 60}, {"name": "Pace", "type": "float"}]


@pytest.fixture
def fields_game(game: dict[str, Any]) -> dict[str, Any]:
    """The definition of a game that counts by itself."""
    return game | {
        "scorer": "fields",
        "parameters": copy.deepcopy(PARAMETERS),
        "score_type": {"headers": HEADERS},
        "ranking": {"by": ["Coins"]},
        "parts": ["level-1", "level-2"],
    }


@pytest.fixture
def benchmark(fields_game: dict[str, Any], write_folder: WriteFolder) -> Benchmark:
    """A benchmark of that game."""
    return load_folder(write_folder(fields_game))


def run(coins: object = 50, time: object = 12.5) -> bytes:
    """Write a result."""
    return json.dumps({"coins": coins, "runs": [{"time": time}], "seed": "x"}).encode()


@pytest.mark.parametrize(
    ("result", "scores"),
    [
        (run(), {"Coins": 50, "Pace": 4.0}),
        (run(coins=50.0), {"Coins": 50, "Pace": 4.0}),
        (run(coins=0, time=1), {"Coins": 0, "Pace": 0.0}),
        (run(coins=-0.0, time=1e-300), {"Coins": 0, "Pace": 0.0}),
    ],
)
def test_numbers_of_a_result_are_its_scores(benchmark: Benchmark, result: bytes, scores: dict[str, float]) -> None:
    """A metric is a field or an expression, for the part that the submission names; fields are the detail."""
    judgement = judge(benchmark, benchmark.prepare_scorer(), result, part="level-2")

    (evaluation,) = judgement.evaluations
    assert (judgement.outcome, judgement.scores, evaluation.part) == (Outcome.SCORED, scores, "level-2")
    assert evaluation.detail["fields"] == {"Coins": scores["Coins"], "time": json.loads(result)["runs"][0]["time"]}


@pytest.mark.parametrize(
    ("result", "pointer", "message"),
    [
        (b"{", "", "expected JSON: "),
        (b"[1]", "/coins", "Coins: expected a whole number from 0 to 100 at /coins, found none"),
        (run(coins=50.5), "/coins", "Coins: expected a whole number from 0 to 100 at /coins, found the number 50.5"),
        (run(coins=True), "/coins", "Coins: expected a whole number from 0 to 100 at /coins, found the boolean true"),
        (run(coins=-1), "/coins", "Coins: expected a whole number from 0 to 100 at /coins, found the number -1"),
        (run(coins=10**900), "/coins", "Coins: expected a whole number from 0 to 100 at /coins, found a long number"),
        (run(time=None), "/runs/0/time", f"{TIME} null"),
        (b'{"coins": 1, "runs": []}', "/runs/0/time", f"{TIME} none"),
        (b'{"coins": 1, "runs": {"0": {}}}', "/runs/0/time", f"{TIME} none"),
        (run(time=2.5), "", "nobody is that fast; found Coins 50, time 2.5"),
        (run(coins=0, time=0), "", "Pace: Coins / time has no value: division by 0; found Coins 0, time 0.0"),
        (run(coins=100), "", "score 'Coins': 100 is above the maximum 60"),
    ],
)  # fmt: skip
def test_result_that_does_not_fit_is_invalid(benchmark: Benchmark, result: bytes, pointer: str, message: str) -> None:
    """What is missing, no such number or against a check is the player's to fix: what, where, what was expected."""
    judgement = judge(benchmark, benchmark.prepare_scorer(), result, part="level-1")

    assert (judgement.outcome, judgement.pointer) == (Outcome.INVALID, pointer)
    assert judgement.message.startswith(message)


@pytest.mark.parametrize(
    ("at", "value"),
    # RFC 6901, section 5, but for values that are no numbers and for the whole document.
    [("/foo/0", 10), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3), ("/g|h", 4), ("/i\\j", 5), ('/k"l', 6),
     ("/ ", 7), ("/m~0n", 8), ("/~01", 9), ("/foo/-", None), ("/foo/00", None), ("/foo/1", None), ("/foo/٠", None),
     ("/foo/0/0", None), ("/foo/" + "9" * 190, None)],
)  # fmt: skip
def test_pointers_are_those_of_the_rfc(at: str, value: int | None) -> None:
    """Each example of the RFC leads to its value; an index has no leading zero, and "-" is none."""
    document = {
        "foo": [10],
        "": 0,
        "a/b": 1,
        "c%d": 2,
        "e^f": 3,
        "g|h": 4,
        "i\\j": 5,
        'k"l': 6,
        " ": 7,
        "m~n": 8,
        "~1": 9,
    }
    scorer = FieldsScorer(FieldsParameters.model_validate({"fields": [{"name": "x", "at": at, "type": "int"}]}))

    try:
        place: object = scorer(json.dumps(document).encode())[0].scores["x"]
    except InvalidResult as error:
        place = error.pointer

    assert place == (at if value is None else value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fields": []}, "parameters.fields: expected at least 1, found 0"),
        ({"fields": [{"name": "x", "at": "coins"}]}, f"{AT} 'coins'; it begins with /"),
        ({"fields": [{"name": "x", "at": "/~2"}]}, f"{AT} '/~2'; ~ is written ~0"),
        ({"fields": [{"name": "x", "at": "/x", "min": 2, "max": 1}]}, "parameters.fields[0]: min 2 is above max 1"),
        (
            {"fields": [{"name": "x", "at": "/x", "typ": "int"}]},
            "parameters.fields[0].typ: unknown key; did you mean 'type'?",
        ),
        ({"metrics": {"Coins": "time"}}, "parameters: the name 'Coins' is there twice, of fields and metrics"),
        ({"metrics": {"Pace": "coin / time"}}, "parameters: metrics.Pace: 'coin' is no field; did you mean 'Coins'?"),
        (
            {"checks": [{"require": "Tim > 3"}]},
            "parameters: checks[0].require: 'Tim' is no field; did you mean 'time'?",
        ),
        ({"checks": [{"require": "time"}]}, f"parameters: checks[0].require: {CONDITION}"),
        ({"metrics": {}}, "score_type.headers[1].name: scorer fields never yields 'Pace'; known are Coins, time"),
    ],
)
def test_broken_parameters_are_rejected_by_key(
    fields_game: dict[str, Any], write_folder: WriteFolder, change: dict[str, Any], message: str
) -> None:
    """A benchmark is not loaded, and the owner reads which key is wrong and what was expected."""
    fields_game["parameters"] |= {"checks": [], **({} if "metrics" in change else {"metrics": {"Pace": "1"}}), **change}

    with pytest.raises(BenchmarkError) as caught:
        load_folder(write_folder(fields_game))

    assert caught.value.message.startswith(f"coin-run/benchmark.yaml: {message}")


def test_signature_has_a_short_word_for_long_parameters(benchmark: Benchmark) -> None:
    """Lists and mappings are named by their hash, so that no text of an owner looks like a field of the signature."""
    fields = dict(field.split(":", 1) for field in make_signature(benchmark).split("|"))

    assert fields["scorer"] == "fields"
    assert {len(fields[name]) for name in ("checks", "fields", "metrics")} == {16}


def test_submission_names_its_part(benchmark: Benchmark) -> None:
    """One part is scored at a time, as with a script, but without one."""
    definition: Definition = benchmark.definition

    assert (definition.needs_part, definition.runs_script) == (True, False)


RUNS = {"ticket": "required", "seed": "random"}
TICKETED = PARAMETERS | {"checks": [{"require": "time <= run_seconds"}], "seed_at": "/seed"}
SEED = "9f86d081884c7d65"


def test_run_of_a_result(fields_game: dict[str, Any], write_folder: WriteFolder) -> None:
    """A check knows the seconds since the ticket, whose seed the result must have; without one nothing is compared."""
    game = fields_game | {"runs": RUNS, "parameters": TICKETED}
    expected = b"sample: {part: level-1, run: {seconds: 12.5, seed: 9f86d081884c7d65}}"
    examples = {"examples/sample.json": run().replace(b'"x"', f'"{SEED}"'.encode()), "examples/expected.yaml": expected}
    benchmark = load_folder(write_folder(game, examples))
    scorer = benchmark.prepare_scorer()
    result = benchmark.examples["sample.json"]

    messages = [
        judge(benchmark, scorer, body, part="level-1", run=ticketed).message
        for body, ticketed in (
            (result, TicketedRun(12.5, SEED)),
            (result, TicketedRun(12.499, SEED)),
            (run(), TicketedRun(20, SEED)),
            (b'{"coins": 1, "runs": [{"time": 3}]}', TicketedRun(20, SEED)),
            (result, TicketedRun(20)),
            (result, None),
        )
    ]

    seed = f"seed: expected '{SEED}' at /seed, the seed of this result's run ticket, found"
    without = "this result came without a {}, with which this benchmark compares it"
    assert messages == [
        "",
        "expected time <= run_seconds; found time 12.5, run_seconds 12.499",
        f"{seed} the string 'x'",
        f"{seed} none",
        without.format("seed in its run ticket"),
        without.format("run ticket"),
    ]
    assert [check.differences for check in check_examples(benchmark, scorer)] == [()]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameters": PARAMETERS | {"metrics": {"Left": "run_seconds - time"}}},
         "parameters: 'run_seconds' is the seconds since the run ticket, and `runs` demands none"),
        ({"parameters": PARAMETERS | {"seed_at": "/seed"}},
         "parameters: seed_at: expected `runs` with a seed, daily or random: without it no ticket has one"),
        ({"runs": {"ticket": "required"}, "parameters": TICKETED},
         "parameters: seed_at: expected `runs` with a seed, daily or random: without it no ticket has one"),
        ({"runs": RUNS, "parameters": PARAMETERS | {"metrics": {"run_seconds": "time"}}},
         "parameters: 'run_seconds' is the seconds since the run ticket; name the field or metric otherwise"),
        ({"runs": RUNS, "parameters": PARAMETERS | {"seed_at": "seed"}},
         "parameters.seed_at: expected a JSON pointer, such as /run/time, found 'seed'; it begins with /"),
        ({"runs": RUNS, "scorer": "script", "parameters": {}, "parts": ["run"]},
         "parts: 'run' would be run.json, which says when the play began; name the part otherwise"),
    ],
)  # fmt: skip
def test_run_that_no_ticket_has(
    fields_game: dict[str, Any], write_folder: WriteFolder, changes: dict[str, Any], message: str
) -> None:
    """What tickets do not say, because the benchmark demands none, is not to be compared."""
    headers = {"headers": [HEADERS[0]]}

    with pytest.raises(BenchmarkError, match=re.escape(message)):
        load_folder(write_folder(fields_game | {"score_type": headers} | changes))


def test_example_with_a_run_of_a_benchmark_without(fields_game: dict[str, Any], write_folder: WriteFolder) -> None:
    """An example has a run ticket only where results have one."""
    expected = b"sample: {part: level-1, run: {seconds: 3}}"
    files = {"examples/sample.json": run(), "examples/expected.yaml": expected}
    benchmark = load_folder(write_folder(fields_game, files))

    with pytest.raises(
        BenchmarkError, match=r"expected.yaml: run: expected none, because `runs` demands no run ticket"
    ):
        list(check_examples(benchmark, benchmark.prepare_scorer()))


def test_field_may_have_the_name_where_there_are_no_tickets() -> None:
    """Without run tickets a field may have such a name."""
    fields = [{"name": "run_seconds", "at": "/t"}]
    parameters = FieldsParameters.model_validate({"fields": fields, "checks": [{"require": "run_seconds > 1"}]})

    assert FieldsScorer(parameters)(b'{"t": 2}')[0].scores == {"run_seconds": 2}
    assert "seed_at" not in parameters.model_dump(mode="json")
