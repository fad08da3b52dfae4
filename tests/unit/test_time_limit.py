"""Scoring in our own process has a bound of processor time, whatever it is at."""

import contextlib
import re
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest

from scoring_core.errors import EvaluatorError
from scoring_core.judgement import judge
from scoring_core.outcome import Outcome
from scoring_core.scorers import base
from scoring_core.scorers.base import Evaluation, OutOfTime, Scorer, limit_processor_time
from tests.harness.stack import make_benchmark

BOUND = 0.05
AT_MOST = 2.0
"""Seconds of processor time after which a task here ends by itself, should nothing interrupt it."""


def count() -> None:
    """Be busy in Python code."""
    end = time.process_time() + AT_MOST
    while time.process_time() < end:
        pass


def match() -> None:
    """Be busy inside one call of the engine of regular expressions."""
    re.search(r"(a|a)+$", "a" * 24 + "b")


def swallow() -> None:
    """Be busy, and take every error for one's own."""
    end = time.process_time() + AT_MOST
    while time.process_time() < end:
        try:
            count()
        except Exception:  # noqa: BLE001, S112  # what a careless scorer does
            continue


class Destroyed:
    """Its destructor is busy, where Python drops every exception."""

    def __del__(self) -> None:
        """Use up the bound."""
        end = time.process_time() + 2 * BOUND
        while time.process_time() < end:
            pass


def destroy() -> None:
    """Pass the bound inside a destructor, and go on."""
    Destroyed()
    count()


def scorer_of(task: Callable[[], None]) -> Scorer:
    """Make a scorer that does this."""

    def score(_result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        task()
        return [Evaluation({"score": 1.0}, {}, part)]

    return score


@pytest.mark.parametrize("task", [count, match, swallow])
def test_a_result_that_takes_too_long_is_invalid(task: Callable[[], None]) -> None:
    """The player gets the limit in the message; the result is not retried."""
    judgement = judge(make_benchmark(), scorer_of(task), b"{}", max_seconds=BOUND)

    assert judgement.outcome is Outcome.INVALID
    assert judgement.message.startswith("scoring this result took more than 0.05 seconds of processor time")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_destructor_does_not_swallow_the_end() -> None:
    """An interruption that Python drops is followed by the next."""
    judgement = judge(make_benchmark(), scorer_of(destroy), b"{}", max_seconds=BOUND)

    assert judgement.outcome is Outcome.INVALID


def test_a_ground_truth_that_takes_too_long_is_the_owners_fault() -> None:
    """Preparing a scorer has a bound, too; the message names the file."""
    points = ",".join(["100,120"] * 1000)
    rows = "".join(f'{number},TR,L03,V017,"{points}"\n' for number in range(200))
    benchmark = make_benchmark(truth=f"id,type,scene_id,video_id,points\n{rows}")

    with pytest.raises(EvaluatorError, match=r"tiny/truth\.csv: reading it took more than 0\.01 seconds"):
        benchmark.prepare_scorer(max_seconds=0.01)


def test_waiting_counts_for_nothing() -> None:
    """A machine that is busy with other work makes no result invalid."""
    with limit_processor_time(BOUND):
        select.select([], [], [], 3 * BOUND)


def test_nothing_is_left_behind() -> None:
    """Afterwards the timer is off and the signal is what it was, whether the bound was passed or not."""
    before = signal.getsignal(signal.SIGPROF)
    with limit_processor_time(AT_MOST):
        pass
    with pytest.raises(OutOfTime), limit_processor_time(BOUND):
        count()

    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) is before


def test_an_end_at_the_last_moment_leaves_nothing_behind() -> None:
    """At whatever line of the way out the bound is passed: nothing is interrupted any more afterwards."""
    before = signal.getsignal(signal.SIGPROF)
    signal.signal(signal.SIGPROF, signal.SIG_IGN)
    try:
        for moment in range(1, 100):
            passed = _leave(interrupted_at=moment)
            assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
            assert signal.getsignal(signal.SIGPROF) is signal.SIG_IGN
            if passed < moment:
                break
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)

    assert 5 < moment < 99


def _leave(*, interrupted_at: int) -> int:
    """Enter the bound and leave it, which is passed at one line of the way out; give how many lines there were."""
    lines = 0
    leaving = False

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if frame.f_code.co_filename not in {base.__file__, contextlib.__file__}:
            return None
        if leaving and event == "line":
            lines += 1
            if lines == interrupted_at:
                signal.raise_signal(signal.SIGPROF)
        return trace

    tracer = sys.gettrace()  # of the tool that measures coverage
    sys.settrace(trace)
    try:
        with contextlib.suppress(OutOfTime), limit_processor_time(AT_MOST):
            leaving = True
    finally:
        sys.settrace(tracer)
    return lines


def test_another_thread_scores_without_a_bound() -> None:
    """Where nothing could interrupt it, scoring still works."""
    outcomes: list[Outcome] = []

    def score() -> None:
        outcomes.append(judge(make_benchmark(), scorer_of(lambda: None), b"{}", max_seconds=BOUND).outcome)

    thread = threading.Thread(target=score)
    thread.start()
    thread.join()

    assert outcomes == [Outcome.SCORED]
