"""The served page of a board: its first rows as a plain table. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from scoring_core.benchmarks.boards import MAIN
from scoring_core.io.markdown import read_text
from scoring_core.outcome import is_taken_over
from storage.boards.models import Head, Metric
from storage.boards.site.markup import (
    Embedded,
    PageMeta,
    picture_path,
    show_count,
    show_value,
    show_with_unit,
    write_name,
    write_page,
    write_query,
    write_table,
    write_text,
)
from storage.keys import croissant_key, head_key
from storage.players.names import label_player

MAX_CELLS: Final = 1_600
"""Of scores in the table: a board of many columns has fewer rows in its page, at least ten."""
MAX_TEXT: Final = 5_000
"""Characters of a description for programs."""


def title_board(head: Head) -> str:
    """Return the title of a board; the main board has that of its benchmark."""
    return head.title if head.board_title is None else f"{head.title}: {head.board_title}"


def describe_leader(head: Head) -> str:
    """Return a sentence that says who leads a board, of how many."""
    if not head.rows.rank:
        return "Nobody is on this board yet."
    name = label_player(head.rows.name[0], verified=head.rows.verified[0])
    primary = head.primary
    value = _find_value(head, primary, 0)
    score = "" if value is None else f" with {show_with_unit(value, primary)}"
    return f"{name} leads{score}; {show_count(head.total, 'row')}."


def describe_data(head: Head, *, site: str) -> dict[str, Any]:
    """Return a board as a Dataset of schema.org."""
    api = f"{site}/api/benchmarks/{head.id}"
    files = {"text/csv": f"{api}/rows.csv", "application/json": f"{site}/{head_key(head.id)}"}
    return {
        "@type": "Dataset",
        "name": head.title,
        "description": f"{head.summary} {head.ranking.rule} {read_text(head.description)}"[:MAX_TEXT],
        "url": f"{site}/b/{head.id}",
        "version": head.version,
        "dateModified": head.generated_at.isoformat(timespec="seconds"),
        "keywords": list(head.tags),
        "isAccessibleForFree": True,
        "variableMeasured": [metric.label for metric in head.metrics],
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": media_type, "contentUrl": url}
            for media_type, url in files.items()
        ],
    }


def write_board_page(
    head: Head, etag: str, *, site: str, boards: Sequence[tuple[str, str | None]] = (), is_listed: bool = True
) -> str:
    """Return the page of a board, which contains its head.

    `boards` are ids and titles of all boards of the benchmark, if there are several.
    """
    is_main = head.board == MAIN
    query = "" if is_main else write_query(board=head.board)
    meta = PageMeta(
        title=title_board(head),
        description=f"{head.summary} {describe_leader(head)}",
        path=f"/b/{head.id}{query}",
        site=site,
        data=describe_data(head, site=site) if is_main else {},
        croissant=f"/{croissant_key(head.id)}" if is_main else None,
        feed=f"/api/benchmarks/{head.id}/rows.atom{query}",
        picture=f"{picture_path(head.id)}{query}",
        is_listed=is_listed,
    )
    # As the app draws it, so that what the app draws in its place is no larger.
    top = f'<svg class="sign" aria-hidden="true" width="48" height="48"></svg><h1>{write_text(title_board(head))}</h1>'
    top += f'<p>{write_text(head.summary)} <a href="#scored">How it is scored</a></p>'
    content = [f'<div class="head">{top}</div>', _write_leader(head), write_rows(head)]
    return write_page(meta, content, Embedded(f"/{head_key(head.id, head.board)}", etag, head.to_body(), boards))


def _write_leader(head: Head) -> str:
    """Return who leads, in the largest text of a board: the app draws none larger."""
    rows, primary = head.rows, head.primary
    if not rows.rank:
        return ""
    # As in `podium.tsx`: one more that decides the rank, unless it would be a number of the same unit without a name.
    deciding = {name for name, _ in head.ranking.order} - {primary.id}
    others = [each for each in head.metrics if each.id in deciding and (each.unit is None or each.unit != primary.unit)]
    about = [f"{primary.unit or ''} {primary.label}".strip()]
    for metric in others[:1]:
        other = show_with_unit(_find_value(head, metric, 0), metric)
        about.append(other if metric.unit else f"{metric.label} {other}")
    name = write_name(label_player(rows.name[0], verified=rows.verified[0]))
    shown = show_value(_find_value(head, primary, 0), primary)
    value = f"{write_text(shown)} <small>{write_text(' · '.join(about))}</small>"
    face = '<svg class="face" aria-hidden="true" width="60" height="60"></svg>'
    leader = f'<span class="who"><a>{name}</a></span><p class="value">{value}</p>'
    return f'<section class="podium"><div class="first"><span>1</span>{face}{leader}</div></section>'


def write_rows(head: Head) -> str:
    """Return the first rows of a board as a table, or that there are none."""
    if not head.rows.rank:
        return "<p>Nobody is on this board yet.</p>"
    metrics = sorted(head.metrics, key=lambda metric: not metric.primary)
    count = min(len(head.rows.rank), max(10, MAX_CELLS // len(metrics)))
    labels = ("Rank", "Player", *(metric.label for metric in metrics))
    return write_table(labels, (_write_row(head, metrics, index) for index in range(count)))


def _write_row(head: Head, metrics: Sequence[Metric], index: int) -> Iterator[str]:
    rows = head.rows
    yield f"{'=' if rows.tied[index] else ''}{rows.rank[index]:,}"
    label = f" · {write_name(rows.label[index])}" if rows.label else ""
    mark = " (baseline)" if rows.row_ids[index] in head.baseline_rows else ""
    mark += " (taken over)" if is_taken_over(rows.submission[index]) else ""
    yield f"{write_name(label_player(rows.name[index], verified=rows.verified[index]))}{label}{mark}"
    for metric in metrics:
        yield write_text(show_value(_find_value(head, metric, index), metric))


def _find_value(head: Head, metric: Metric, index: int) -> float | None:
    column = head.rows.scores.get(metric.id)
    return column[index] if column else None
