"""Every call of a scenario fails in turn; the final state is the same."""

import re

import pytest

from storage.keys import board_prefix
from tests.faults.faults import CRASHES, MISHAPS, Fault
from tests.faults.oracle import Run, judge_each, run_scenario
from tests.faults.scenarios import BATCHES, BOARDS, FINAL, FREEZING, PLAYING, SHORT
from tests.faults.simulation import SimulationFactory
from tests.harness.factories import name_guest

SHARES = 6
"""The points of a scenario are split into so many tests, which can run side by side."""
SAMPLED = [pytest.param(share, marks=pytest.mark.long if share % 3 else ()) for share in range(SHARES)]
"""Of the longest ones CI runs a third, `make faults` all."""
MAX_CALLS = 84


@pytest.fixture(scope="module")
def clean(simulations: SimulationFactory) -> Run:
    """The short scenario without a fault."""
    return run_scenario(simulations, SHORT)


def test_short_scenario_has_few_calls(clean: Run) -> None:
    """The scenario has few enough calls to inject every fault, and a clean run has no errors."""
    assert 0 < len(clean.calls) <= MAX_CALLS
    assert clean.faults == []


def test_other_ids_end_in_the_same_state(simulations: SimulationFactory, clean: Run) -> None:
    """Other ids, receipts and nonces do not change the compared state."""
    again = run_scenario(simulations, SHORT, seed=7)

    assert again.state.differences(clean.state) == []
    assert again.state.mail_counts == clean.state.mail_counts


@pytest.mark.parametrize("share", SAMPLED)
def test_crash_at_any_call_loses_and_doubles_nothing(simulations: SimulationFactory, clean: Run, share: int) -> None:
    """A process that dies before or after any of its calls loses nothing and doubles nothing."""
    assert judge_each(simulations, SHORT, clean, clean.calls, CRASHES, share=slice(share, None, SHARES)) == []


@pytest.mark.parametrize("share", range(SHARES))
def test_failing_call_loses_and_doubles_nothing(simulations: SimulationFactory, clean: Run, share: int) -> None:
    """A call that fails, with or without its effect, or is repeated, loses nothing and doubles nothing."""
    assert judge_each(simulations, SHORT, clean, clean.writes, MISHAPS, share=slice(share, None, SHARES)) == []


@pytest.fixture(scope="module")
def clean_boards(simulations: SimulationFactory) -> Run:
    """The scenario of several boards without a fault."""
    return run_scenario(simulations, BOARDS)


def test_boards_come_and_go(clean_boards: Run) -> None:
    """The new board has all rows and the old one's files and standings are deleted."""
    snapshots = clean_boards.state.snapshots
    (runs,) = (content for key, content in snapshots.items() if _is_head(key, "coins", "runs"))

    assert clean_boards.faults == []
    assert [(row["player"], row["label"], row["scores"]["Coins"]) for row in runs["all_rows"]] == [
        (name_guest("Bea").id, "", 5),
        ("ada", "step 1", 4),
        ("ada", "", 3),
    ]
    assert not any("boards/models/" in key for key in snapshots)
    assert not any("/models" in item["board"] for item in clean_boards.state.boards)


@pytest.mark.parametrize("share", SAMPLED)
def test_crash_while_boards_come_and_go(simulations: SimulationFactory, clean_boards: Run, share: int) -> None:
    """A process that dies before or after any write of such a publishing leaves nothing behind and loses nothing."""
    assert (
        judge_each(simulations, BOARDS, clean_boards, clean_boards.writes, CRASHES, share=slice(share, None, SHARES))
        == []
    )


@pytest.fixture(scope="module")
def clean_batches(simulations: SimulationFactory) -> Run:
    """The scenario of two batches without a fault."""
    return run_scenario(simulations, BATCHES)


def test_batches_of_one_command_are_mailed_together(clean_batches: Run) -> None:
    """One mail names both batches."""
    (mail,) = clean_batches.state.mails

    assert clean_batches.faults == []
    assert len(clean_batches.state.reports) == 2
    assert (mail.to, mail.subject) == (
        "ada@example.com",
        "Tiny: 3 of 4 entries of your 2 batches have no score",
    )


@pytest.mark.parametrize("fault", [*CRASHES, *(pytest.param(fault, marks=pytest.mark.long) for fault in MISHAPS)])
def test_fault_while_batches_are_mailed(simulations: SimulationFactory, clean_batches: Run, fault: Fault) -> None:
    """Whatever fails while a mail about batches is made, each batch is mailed once."""
    sending = [call for call in clean_batches.writes if call.function == "SendFunction"]

    assert judge_each(simulations, BATCHES, clean_batches, sending, [fault]) == []


@pytest.fixture(scope="module")
def clean_final(simulations: SimulationFactory) -> Run:
    """The scenario of a final without a fault."""
    return run_scenario(simulations, FINAL)


@pytest.mark.parametrize("share", SAMPLED)
def test_crash_at_any_write_of_a_final(simulations: SimulationFactory, clean_final: Run, share: int) -> None:
    """Wherever a process dies, the board has its final, once: ranks by hidden rows, their list and the owner's mail."""
    head = clean_final.state.snapshots["data/b/tiny/head.json"]

    assert (head["final"]["is_shown"], clean_final.faults) == (True, [])
    points = slice(share, None, SHARES)
    assert judge_each(simulations, FINAL, clean_final, clean_final.writes, CRASHES, share=points) == []


@pytest.fixture(scope="module")
def clean_plays(simulations: SimulationFactory) -> Run:
    """The scenario of plays without a fault."""
    return run_scenario(simulations, PLAYING)


def test_plays_are_counted_and_reviewed(clean_plays: Run) -> None:
    """Each ticket has its one submission, and the one in review is on no board, that of the day included."""
    heads = {key: content for key, content in clean_plays.state.snapshots.items() if key.endswith("head.json")}

    assert clean_plays.faults == []
    assert len(set(clean_plays.state.tickets)) == len(clean_plays.state.tickets) == 3
    day = next(key for key in heads if _is_head(key, "plays", "daily-2026-03-01"))
    assert sorted(heads) == [day, "data/b/plays/head.json"]
    assert [[row["name"] for row in head["all_rows"]] for head in heads.values()] == [["Cid", "Ada"]] * 2
    assert "Bea" not in str(clean_plays.state.snapshots)


def test_crash_while_a_ticket_is_spent(simulations: SimulationFactory, clean_plays: Run) -> None:
    """A process that dies between the ticket and the result of a play loses no result; the ticket serves no other."""
    changing = [call for call in clean_plays.writes if call.function == "SubmitFunction"]
    stored = next(index for index, call in enumerate(changing) if call.operation == "PutObject")

    assert judge_each(simulations, PLAYING, clean_plays, changing[stored - 1 : stored + 1], CRASHES) == []


@pytest.mark.long
@pytest.mark.parametrize("share", range(SHARES))
def test_crash_while_plays_are_counted(simulations: SimulationFactory, clean_plays: Run, share: int) -> None:
    """A process that dies before or after any write of plays with tickets loses nothing and doubles nothing."""
    assert (
        judge_each(simulations, PLAYING, clean_plays, clean_plays.writes, CRASHES, share=slice(share, None, SHARES))
        == []
    )


def _is_head(key: str, benchmark: str, board: str) -> bool:
    """Return whether a key is that of a board's head, whatever its version."""
    return re.fullmatch(rf"{board_prefix(benchmark, board)}([0-9a-z]+/)?head\.json", key) is not None


@pytest.fixture(scope="module")
def clean_thaw(simulations: SimulationFactory) -> Run:
    """The scenario of a board that is frozen and thaws, without a fault."""
    return run_scenario(simulations, FREEZING)


@pytest.mark.parametrize("fault", [*CRASHES, *(pytest.param(fault, marks=pytest.mark.long) for fault in MISHAPS)])
def test_fault_while_a_board_thaws(simulations: SimulationFactory, clean_thaw: Run, fault: Fault) -> None:
    """Whatever fails at a write of the schedule, all counts that waited for the thaw alone, once."""
    thawing = [call for call in clean_thaw.writes if call.function == "RescoreFunction"]
    (head,) = (content for key, content in clean_thaw.state.snapshots.items() if key.endswith("head.json"))

    assert [row["name"] for row in head["all_rows"]] == ["Bea", "Ada", "Cid"]
    assert sum(call.operation == "UpdateItem" for call in thawing) == 2  # results
    assert judge_each(simulations, FREEZING, clean_thaw, thawing, [fault]) == []
