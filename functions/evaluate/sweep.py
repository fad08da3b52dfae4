"""Lambda handler of the sweep's schedules; the event of the daily one has the hours to look back.

The API invokes it too, for a sweep that an administrator started.
"""

from datetime import timedelta
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from evaluate.dependencies import sweeper
from handlers.loops import logger

OFTEN_HOURS = 2


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:  # noqa: ARG001  # Lambda's signature
    """Sweep every benchmark and return how many results were queued again."""
    if "operation" in event:
        sweeper().operations.run(event["operation"], sweeper().sweep_again)
        return {}
    window = timedelta(hours=event.get("hours", OFTEN_HOURS))
    queued: dict[str, int] = {}
    failures = []
    for benchmark in sweeper().benchmarks.list_shuffled():
        try:
            queued[benchmark] = sweeper().sweep(benchmark, window=window)
            if "hours" in event and (tidied := sweeper().tidy_parts(benchmark)):
                logger.info("parts of results deleted", extra={"benchmark": benchmark, "results": tidied})
        except Exception as error:
            logger.exception("a benchmark could not be swept", extra={"benchmark": benchmark})
            failures.append(error)
    results = {benchmark: count for benchmark, count in queued.items() if count}
    if results:
        logger.warning("results without an outcome queued again", extra={"results": results})
    if failures:
        raise ExceptionGroup("not all benchmarks were swept", failures)
    return results
