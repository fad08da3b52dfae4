"""Lambda handler of the schedule: finishes rescores, renders what is out of date or failed, opens or closes.

The API invokes it too, for a rescore or an operation that was just requested.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from aggregate.benchmarks.promoter import publish_phases
from aggregate.dependencies import operator, promoter
from handlers.loops import logger
from scoring_core.errors import LaurelError

PATIENCE_SECONDS = 60.0


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> list[str]:
    """Advance every requested rescore and return the benchmarks that switched version."""
    if "operation" in event:
        operator().run(event["operation"], seconds=context.get_remaining_time_in_millis() / 1000)
        return []
    return _advance(event.get("benchmark"))


def _advance(requested: str | None) -> list[str]:
    """Advance the rescores of all benchmarks, or of one; return those promoted."""
    failures = list[Exception]()
    if requested:
        promoted = promoter().step_all([requested], failures, patience_seconds=PATIENCE_SECONDS * 3)
    else:
        try:  # first, and for two minutes at most: what a benchmark needs may take all the time that there is
            failures += promoter().restorer.restore_all()
        except Exception as error:  # the list of them could not be read
            logger.exception("boards that are set aside could not be tried again")
            failures.append(error)
        benchmarks = promoter().aggregator.benchmarks.list_shuffled()
        promoted = promoter().step_all(benchmarks, failures, patience_seconds=PATIENCE_SECONDS)
        for due in publish_phases(promoter().aggregator, benchmarks):
            for seconds in (0, PATIENCE_SECONDS * 3):  # all begin before one of them is waited for
                promoted += promoter().step_all(due, failures, patience_seconds=seconds)
    failures += map(LaurelError, promoter().aggregator.renderer.take_reports())
    if failures:
        raise ExceptionGroup("not all rescores could go on, or not all boards be rendered", failures)
    return promoted
