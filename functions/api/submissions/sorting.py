"""Sorts submissions by a metric that a request names."""

from collections.abc import Callable, Iterable
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from handlers.http.problems import unprocessable
from scoring_core.io.text import list_some
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.scorers.base import Scores

SortQuery = Annotated[str | None, Query(description="A metric: the best by it come first.")]


def sort_best_first[Item](
    items: Iterable[Item], metric: str, *, score_type: ScoreType, read: Callable[[Item], Scores | None]
) -> list[Item]:
    """Return items, the best by a metric first.

    Those without a value come last; equal ones keep their order.

    Args:
        items: What is sorted.
        metric: As the caller wrote it.
        score_type: The metrics that there are.
        read: Returns the scores of an item.

    Raises:
        Problem: 422, there is no such metric.
    """
    directions = {header.name: header.direction for header in score_type.headers}
    if metric not in directions:
        detail = f"sort: expected one of {list_some(list(directions))}, found {metric[:64]!r}"
        raise unprocessable("unknown-metric", detail, parameter="sort")
    sign = -1 if directions[metric] is Direction.HIGHER else 1

    def rank(item: Item) -> tuple[bool, float]:
        value = (read(item) or {}).get(metric)
        return value is None, 0 if value is None else sign * value

    return sorted(items, key=rank)
