"""Lambda handler of the schedules, each once an hour: a canary, and orphans."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.loops import logger
from storage.keys import BOARDS_PREFIX
from upkeep.dependencies import upkeep_dependencies


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> int:  # noqa: ARG001  # Lambda's signature
    """Do what a schedule is for, and return of how many boards orphans were deleted."""
    if event.get("canary"):
        upkeep_dependencies().canary()
        return 0
    deleted = {folder: count for folder, count in upkeep_dependencies().orphans.sweep(BOARDS_PREFIX).items() if count}
    if deleted:
        logger.info("orphans deleted", extra={"objects": deleted})
    return len(deleted)
