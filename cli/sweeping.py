"""Sweeping from a terminal: results without an outcome, or with none but `internal_error`, are queued again."""

from datetime import timedelta

from cli.progress import show_progress
from cli.stack import find_settings
from evaluate.sweep import make_sweeper
from evaluate.sweeper import Sweeper
from storage.settings import SweepSettings


def open_sweeper(stack: str | None) -> Sweeper:
    """Give what sweeps a stack. Raises NoStack."""
    return make_sweeper(find_settings(stack, SweepSettings))


def sweep(sweeper: Sweeper, *, window: timedelta, failed: bool) -> dict[str, int]:
    """Queue results of every benchmark again; a person may do so as often as it pleases.

    Args:
        sweeper: What finds them.
        window: How far back to look for results without an outcome.
        failed: Whether to queue, instead, all results that ended as `internal_error`.

    Returns:
        Benchmark → how many were queued; those without any are left out.
    """
    queued: dict[str, int] = {}
    with show_progress() as progress:
        for benchmark in progress.track(sweeper.benchmarks.list_ids(), description="sweeping"):
            found = sweeper.find_failed(benchmark) if failed else list(sweeper.find_lost(benchmark, window=window))
            if number := sum(sweeper.notices.send(found)):
                queued[benchmark] = number
    return queued
