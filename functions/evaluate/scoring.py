"""Scores one result of a message, and logs and measures its outcomes."""

from datetime import timedelta

from evaluate.evaluator import Evaluator
from evaluate.sharing import waited_since
from handlers import logger
from storage.aws.errors import UnknownObject
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import ResultKey
from storage.metrics import Measure, measure

_MILLISECOND = timedelta(milliseconds=1)


def score_result(evaluator: Evaluator, key: ResultKey, published: PublishedBenchmark, *, sent_at: str) -> None:
    """Score one result, record its outcomes and log them.

    Args:
        evaluator: What scores.
        key: Of the result.
        published: What `Evaluator.read_published` has just returned.
        sent_at: When the message was sent, in milliseconds since the epoch: the log has how long it waited.
    """
    started = evaluator.clock()
    try:
        written = evaluator.evaluate(key, published)
    except UnknownObject as error:
        logger.warning("unknown object skipped", extra={"reason": str(error)})
        return
    ended = evaluator.clock()
    values = {
        Measure.OUTCOMES: 1,
        Measure.WAITING: waited_since(sent_at, now=started) // _MILLISECOND,
        Measure.SCORING: (ended - started) // _MILLISECOND,
    }
    for record in written:
        measured = {} if record.rescored else measure(values, moment=ended)
        logger.info("evaluated", extra={"outcome": record.outcome, "version": record.version, **measured})
    if not written:
        logger.info("already recorded")
