"""Lambda handler of the schedules: hourly a canary and orphans, daily comparisons."""

from collections.abc import Callable, Iterable
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import logger
from storage.keys import BOARDS_PREFIX
from upkeep.dependencies import upkeep_dependencies
from upkeep.reports import report_differences


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> int:  # noqa: ARG001  # Lambda's signature
    """Do what a schedule is for, and return how many boards had work."""
    if event.get("canary"):
        upkeep_dependencies().canary.check()
        return 0
    if event.get("compare"):
        return run_each(upkeep_dependencies().benchmarks.list_shuffled(), compare)
    swept = upkeep_dependencies().orphans.sweep(BOARDS_PREFIX)
    if any(swept.values()):
        logger.info("orphans deleted", extra={"objects": {folder: count for folder, count in swept.items() if count}})
    return sum(map(bool, swept.values()))


def run_each(names: Iterable[str], act: Callable[[str], bool]) -> int:
    """Act on each; a failure keeps nothing else back, and fails the run at its end."""
    done, failures = 0, []
    for name in names:
        try:
            done += act(name)
        except Exception as error:
            logger.exception("upkeep failed", extra={"subject": name})
            failures.append(error)
    if failures:
        raise ExceptionGroup("not everything was kept up", failures)
    return done


def compare(benchmark: str) -> bool:
    """Compare the boards of a benchmark, and report what differs."""
    upkeep = upkeep_dependencies()
    return report_differences(
        benchmark, benchmarks=upkeep.benchmarks, comparison=upkeep.comparison, outbox=upkeep.outbox, now=upkeep.clock()
    )
