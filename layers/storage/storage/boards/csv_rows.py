"""Rows of boards as CSV."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from scoring_core.io.csv_text import BYTE_ORDER_MARK, write_line
from scoring_core.outcome import is_taken_over
from storage.boards.models import HeadParts, Metric
from storage.boards.views import RankedRow
from storage.keys import time_of


def write_header(
    metrics: Sequence[Metric], *, has_labels: bool, parts: HeadParts | None = None, baselines: Collection[str] = ()
) -> str:
    """Return the first line; with parts, columns of them come last.

    A board with baselines, which are ids of rows, has a column that says which rows are some.
    """
    labels = [*(["label"] if has_labels else []), *(["baseline"] if baselines else [])]
    names = [metric.label for metric in metrics]
    columns = ["rank", "tied", "player", "player_id", "kind", "verified", *labels, *names, "submissions", "last"]
    by_id = {metric.id: metric.label for metric in metrics}
    of_parts = [f"{parts.noun}_done", *(f"{part} {by_id[metric]}" for part, metric in parts.values)] if parts else []
    return BYTE_ORDER_MARK + write_line([*columns, "submission", "taken_over", *of_parts])


def write_lines(
    rows: Iterable[RankedRow],
    metrics: Sequence[Metric],
    *,
    parts: HeadParts | None = None,
    baselines: Collection[str] = (),
) -> Iterator[str]:
    """Yield a line for each row, numbers at full precision."""
    for rank, tied, row in rows:
        labels = [*([] if row.label is None else [row.label]), *([row.id in baselines] if baselines else [])]
        values = [row.scores.get(metric.id, "") for metric in metrics]
        moment = time_of(row.submission).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        cells = [rank, tied, row.name, row.player, row.kind, row.verified, *labels, *values, row.submissions, moment]
        of_parts = [row.scores.get(column, "") for column in parts.columns] if parts else []
        yield write_line([*cells, row.submission, is_taken_over(row.submission), *of_parts])
