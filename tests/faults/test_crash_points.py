"""Every call of a scenario fails in turn; the final state is the same."""

import re
from collections.abc import Callable, Mapping
from functools import cache

import pytest

from storage.keys import board_prefix
from tests.faults.faults import CRASHES, MISHAPS, Fault
from tests.faults.oracle import Run, judge_each, run_scenario
from tests.faults.scenarios import BATCHES, BOARDS, EXTENDING, FINAL, FREEZING, PLAYING, SHORT, WORKING
from tests.faults.simulation import SimulationFactory
from tests.faults.steps import Step
from tests.harness.factories import name_guest

SCENARIOS: Mapping[str, tuple[Step, ...]] = {
    "short": SHORT,
    "boards come and go": BOARDS,
    "batches are mailed": BATCHES,
    "a final": FINAL,
    "a runner scores": WORKING,
    "plays are counted": PLAYING,
    "a board thaws": FREEZING,
    "more time is given": EXTENDING,
}
SHARES = 8
"""The points of a scenario are split into so many tests, which can run side by side."""
SAMPLED = [
    pytest.param(name, share, marks=pytest.mark.long if share % 4 or name == "plays are counted" else ())
    for name in ("boards come and go", "a final", "plays are counted")
    for share in range(SHARES)
]
"""Of the longest ones CI runs a fourth, `make faults` all."""
MAX_CALLS = 84

type Clean = Callable[[str], Run]


@pytest.fixture(scope="module")
def clean(simulations: SimulationFactory) -> Clean:
    """Runs each scenario without a fault, once."""
    return cache(lambda name: run_scenario(simulations, SCENARIOS[name]))


@pytest.mark.parametrize("name", SCENARIOS)
def test_clean_run_has_no_errors(clean: Clean, name: str) -> None:
    """What is found after a fault is of that."""
    assert clean(name).faults == []


def test_short_scenario_has_few_calls(clean: Clean) -> None:
    """The scenario has few enough calls to inject every fault."""
    assert 0 < len(clean("short").calls) <= MAX_CALLS


def test_other_ids_end_in_the_same_state(simulations: SimulationFactory, clean: Clean) -> None:
    """Other ids, receipts and nonces do not change the compared state."""
    again, before = run_scenario(simulations, SHORT, seed=7).state, clean("short").state

    assert again.differences(before) == []
    assert again.mail_counts == before.mail_counts


@pytest.mark.parametrize("share", [pytest.param(n, marks=pytest.mark.long if n % 4 else ()) for n in range(SHARES)])
def test_crash_at_any_call_loses_and_doubles_nothing(simulations: SimulationFactory, clean: Clean, share: int) -> None:
    """A process that dies before or after any of its calls loses nothing and doubles nothing."""
    run, points = clean("short"), slice(share, None, SHARES)

    assert judge_each(simulations, SHORT, run, run.calls, CRASHES, share=points) == []


@pytest.mark.parametrize("share", range(SHARES))
def test_failing_call_loses_and_doubles_nothing(simulations: SimulationFactory, clean: Clean, share: int) -> None:
    """A call that fails, with or without its effect, or is repeated, loses nothing and doubles nothing."""
    run, points = clean("short"), slice(share, None, SHARES)

    assert judge_each(simulations, SHORT, run, run.writes, MISHAPS, share=points) == []


@pytest.mark.parametrize(("name", "share"), SAMPLED)
def test_crash_at_any_write(simulations: SimulationFactory, clean: Clean, name: str, share: int) -> None:
    """A process that dies before or after any write leaves nothing behind, loses nothing and doubles nothing."""
    run, points = clean(name), slice(share, None, SHARES)

    assert judge_each(simulations, SCENARIOS[name], run, run.writes, CRASHES, share=points) == []


@pytest.mark.parametrize("fault", [*CRASHES, *(pytest.param(fault, marks=pytest.mark.long) for fault in MISHAPS)])
@pytest.mark.parametrize(
    ("name", "functions"),
    [
        ("batches are mailed", {"SendFunction"}),
        pytest.param("a runner scores", {"ApiFunction", "EvaluateFunction"}, marks=pytest.mark.long),
        ("a board thaws", {"RescoreFunction"}),
        ("more time is given", {"ApiFunction", "RescoreFunction"}),
    ],
)
def test_fault_while(
    simulations: SimulationFactory, clean: Clean, name: str, functions: set[str], fault: Fault
) -> None:
    """Whatever fails at a write of these functions, each batch is mailed once, and all counts that counted, once."""
    run = clean(name)
    writes = [call for call in run.writes if call.function in functions]

    assert judge_each(simulations, SCENARIOS[name], run, writes, [fault]) == []


def test_crash_while_a_ticket_is_spent(simulations: SimulationFactory, clean: Clean) -> None:
    """A process that dies between the ticket and the result of a play loses no result; the ticket serves no other."""
    run = clean("plays are counted")
    changing = [call for call in run.writes if call.function == "SubmitFunction"]
    stored = next(index for index, call in enumerate(changing) if call.operation == "PutObject")

    assert judge_each(simulations, PLAYING, run, changing[stored - 1 : stored + 1], CRASHES) == []


def test_boards_come_and_go(clean: Clean) -> None:
    """The new board has all rows and the old one's files and standings are deleted."""
    state = clean("boards come and go").state
    (runs,) = (content for key, content in state.snapshots.items() if _is_head(key, "coins", "runs"))

    assert [(row["player"], row["label"], row["scores"]["Coins"]) for row in runs["all_rows"]] == [
        (name_guest("Bea").id, "", 5),
        ("ada", "step 1", 4),
        ("ada", "", 3),
    ]
    assert not any("boards/models/" in key for key in state.snapshots)
    assert not any("/models" in item["board"] for item in state.boards)


def test_batches_of_one_command_are_mailed_together(clean: Clean) -> None:
    """One mail names both batches."""
    state = clean("batches are mailed").state
    (mail,) = state.mails

    assert len(state.reports) == 2
    assert (mail.to, mail.subject) == ("ada@example.com", "Tiny: 3 of 4 entries of your 2 batches have no score")


def test_plays_are_counted_and_reviewed(clean: Clean) -> None:
    """Each ticket has its one submission, and the one in review is on no board, that of the day included."""
    state = clean("plays are counted").state
    heads = {key: content for key, content in state.snapshots.items() if key.endswith("head.json")}

    assert len(set(state.tickets)) == len(state.tickets) == 3
    day = next(key for key in heads if _is_head(key, "plays", "daily-2026-03-01"))
    assert sorted(heads) == [day, "data/b/plays/head.json"]
    assert [[row["name"] for row in head["all_rows"]] for head in heads.values()] == [["Cid", "Ada"]] * 2
    assert "Bea" not in str(state.snapshots)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("a final", [("Ada", 1), ("Bea", 1)]),
        ("a runner scores", [("Ada", 1)]),
        ("a board thaws", [("Bea", 1), ("Ada", 1), ("Cid", 1)]),
        ("more time is given", [("Ada", 2)]),
    ],
)
def test_what_counts_in_the_end(clean: Clean, name: str, rows: list[tuple[str, int]]) -> None:
    """The final is shown; what waited for the thaw alone counts; and so does all that came within an extension."""
    head = clean(name).state.snapshots["data/b/tiny/head.json"]

    assert [(row["name"], row["submissions"]) for row in head["all_rows"]] == rows
    assert head.get("final", {"is_shown": False})["is_shown"] == (name in {"a final", "a runner scores"})


def _is_head(key: str, benchmark: str, board: str) -> bool:
    """Return whether a key is that of a board's head, whatever its version."""
    return re.fullmatch(rf"{board_prefix(benchmark, board)}([0-9a-z]+/)?head\.json", key) is not None
