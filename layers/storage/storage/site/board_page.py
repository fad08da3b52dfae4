"""The served page of a main board: its first rows as a table, laid out as the app does. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

from scoring_core.benchmarks.boards import MAIN
from scoring_core.metrics.score_type import Direction
from scoring_core.metrics.spelling import MISSING, show_digits
from scoring_core.ranking.column_names import DONE
from storage.access.names import label_player
from storage.boards.models import Head, Metric
from storage.keys import croissant_key, head_key
from storage.site.drawings import CARET, CHIP, DASHES, LAST_MEDAL, UPLOAD, draw_icon, draw_medal, draw_place
from storage.site.markup import Embedded, PageMeta, picture_path, write_name, write_page, write_text
from storage.site.values import show_count, show_value, show_with_unit, write_state, write_time

MAX_CELLS: Final = 1_600
"""Of scores in the table: a board of many columns has fewer rows in its page, at least ten."""
MAX_TEXT: Final = 5_000
"""Characters of a description for programs."""
_BASELINE: Final = (
    f'<abbr class="player-mark" title="baseline">{draw_icon(DASHES)}<span class="unseen"> baseline</span></abbr>'
)
LONG_BOARD: Final = 300
MAX_BESIDE: Final = 4
"""From `frontend/src`: a board of more rows scrolls in a window, one of more columns is as wide as the page."""


def title_board(head: Head) -> str:
    """Return the title of a board; the main board has that of its benchmark."""
    return head.title if head.board_title is None else f"{head.title}: {head.board_title}"


def describe_leader(head: Head) -> str:
    """Return a sentence that says who leads a board, of how many."""
    if not head.rows.rank:
        return "Nobody is on this board yet."
    name = label_player(head.rows.name[0], verified=head.rows.verified[0])
    primary = find_primary(head)
    value = next(iter(head.rows.scores.get(primary.id, ())), None)
    score = "" if value is None else f" with {show_with_unit(value, primary)}"
    return f"{name} leads{score}; {show_count(head.total, 'row')}."


def find_primary(head: Head) -> Metric:
    """Return the metric that is ranked first."""
    return next(metric for metric in head.metrics if metric.primary)


def find_ends(head: Head) -> tuple[float, float] | None:
    """Return worst and best value of what is ranked first; None if equal."""
    primary = find_primary(head)
    histogram = head.histogram.get(primary.id) if len(head.rows.player) < head.total else None
    column = head.rows.scores.get(primary.id, ())
    values = (histogram.min, histogram.max) if histogram else [value for value in column if value is not None]
    if not values or min(values) == max(values):
        return None
    ends = min(values), max(values)
    return ends if primary.direction is Direction.HIGHER else ends[::-1]


def describe_data(head: Head, *, site: str) -> dict[str, Any]:
    """Return a board as a Dataset of schema.org."""
    api = f"{site}/api/benchmarks/{head.id}"
    files = {"text/csv": f"{api}/rows.csv", "application/json": f"{site}/{head_key(head.id)}"}
    return {
        "@type": "Dataset",
        "name": head.title,
        "description": f"{head.summary} {head.rank_rule} {head.description}"[:MAX_TEXT],
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
    head: Head, etag: str, *, site: str, now: datetime, boards: Sequence[tuple[str, str | None]] = ()
) -> str:
    """Return the page of a main board, which contains its head.

    `boards` are ids and titles of all boards of the benchmark, if there are several.
    """
    meta = PageMeta(
        title=title_board(head),
        description=f"{head.summary} {describe_leader(head)}",
        path=f"/b/{head.id}",
        site=site,
        data=describe_data(head, site=site),
        croissant=f"/{croissant_key(head.id)}",
        feed=f"/api/benchmarks/{head.id}/rows.atom",
        picture=picture_path(head.id),
    )
    tabs = _write_tabs(head.id, boards)
    content = [*_write_hero(head, now), f'<section aria-label="Board">{tabs}', *_write_board(head), "</section>"]
    return write_page(meta, content, Embedded(f"/{head_key(head.id)}", etag, head.to_body(), boards))


def _write_hero(head: Head, now: datetime) -> Iterator[str]:
    play, others = next(iter(head.links), None), head.links[1:]
    is_closed = head.closes is not None and now >= head.closes
    yield '<div class="hero"><p class="crumbs"><a href="/">Boards</a> </p><div class="headline"><div>'
    yield f'<h1>{write_text(head.title)}</h1><p class="lead">{write_text(head.summary)}</p></div><div class="actions">'
    if play:
        yield f'<a class="button  primary" href="{write_text(play.url)}" rel="noopener">{write_text(play.label)}</a>'
    if not is_closed:
        name = "button  " if play else "button  primary"
        yield f'<a class="{name}" href="/b/{head.id}/submit">{draw_icon(UPLOAD)}Hand in a result</a>'
    yield f'</div></div><p class="labels">{write_state(now, head.opens, head.closes)}'
    yield from (f'<span class="pill plain">{write_text(tag)}</span>' for tag in head.tags)
    yield from (f'<a href="{write_text(link.url)}" rel="noopener">{write_text(link.label)}</a>' for link in others)
    submissions = show_count(head.counts.submissions + head.counts.unranked, "submission")
    yield f'<span class="fine">{submissions} · updated {write_time(head.generated_at)}</span></p></div>'


def _write_tabs(benchmark: str, boards: Sequence[tuple[str, str | None]]) -> str:
    """Return links to boards; "" for one alone."""
    links = (
        f'<a href="/b/{benchmark}" aria-current="page">{write_text(title or "All")}</a>'
        if board == MAIN
        else f'<a href="/b/{benchmark}?board={board}">{write_text(title or board)}</a>'
        for board, title in boards
    )
    tabs = "".join(links) if len(boards) > 1 else ""
    return tabs and f'<nav class="tablist boards" aria-label="Boards of this benchmark">{tabs}</nav>'


def _write_board(head: Head) -> Iterator[str]:
    yield f'<div class="toolbar"><div class="search"></div><p class="count">{_count_rows(head)}</p></div>'
    below = " below" if len(head.metrics) > MAX_BESIDE else ""
    yield f'<p class="answer fine"></p><div class="board-and-side{below}"><div>'
    if head.rows.rank:
        yield from _Table(head).write()
    else:
        yield '<div class="notice"><h2>Nobody is on this board yet</h2></div>'
    yield '</div><div class="side"></div><div class="after">'
    # The app shows these itself: they must not move anything while it starts.
    yield f"<noscript><h2>How it is scored</h2><p>{write_text(head.rank_rule)}</p>"
    yield from (f"<p>{write_text(line)}</p>" for line in head.description.splitlines() if line.strip())
    yield "</noscript></div></div>"


def _count_rows(head: Head) -> str:
    return show_count(head.total, *(("entry", "entries") if head.row_kind == "label" else ("player",)))


@dataclass(frozen=True)
class _Table:
    """The first rows of a head."""

    head: Head

    @cached_property
    def metrics(self) -> list[Metric]:
        """The columns; what decides the rank is first."""
        return sorted(self.head.metrics, key=lambda metric: not metric.primary)

    @cached_property
    def baselines(self) -> frozenset[int]:
        """The indices of the rows that are baselines."""
        marked = self.head.baseline_rows
        return frozenset(index for index, row_id in enumerate(self.head.rows.row_ids) if row_id in marked)

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        """Worst and best value of what is ranked first; None if there is no distance."""
        return find_ends(self.head)

    def write(self) -> Iterator[str]:
        """Yield the table."""
        head = self.head
        long = " long" if head.total > LONG_BOARD else ""
        label = write_text(f"Board of {title_board(head)}")
        yield f'<div class="scroller board ranking{long}" tabindex="0" role="group" aria-label="{label}">'
        yield f'<table class="digits-{min(len(str(head.total)), 4)}"><thead><tr>'
        yield self._write_header("rank-cell", "Rank", caret=CARET)
        yield self._write_header("player-cell", "Player")
        for metric in self.metrics:
            yield self._write_metric(metric)
            if metric.primary and self.ends:
                first, last = (show_value(value, metric) for value in self.ends)
                yield '<th scope="col" class="shape-cell"><span class="gap">to 1st</span>'
                yield f'<span class="ends" aria-hidden="true"><span>{first}</span><span>{last}</span></span></th>'
        yield self._write_header("number", "Submissions")
        yield f"{self._write_header('when', 'Last')}</tr></thead><tbody>"
        rows = min(len(head.rows.player), max(10, MAX_CELLS // len(self.metrics)))
        for index in range(rows):
            yield "".join(self._write_row(index))
        yield "</tbody></table></div>"
        yield from self._write_legend()

    def _write_header(self, name: str, label: str, *, caret: str = "") -> str:
        return (
            f'<th scope="col" class="{name}"><span class="sort"><span class="column">{label}</span>{caret}</span></th>'
        )

    def _write_metric(self, metric: Metric) -> str:
        arrow, words = ("↑", "higher") if metric.direction is Direction.HIGHER else ("↓", "lower")
        name = "number primary" if metric.primary else "number"
        unit = f"{write_text(metric.unit)} " if metric.unit else ""
        help_text = f' title="{write_text(metric.help)}"' if metric.help else ""
        return (
            f'<th scope="col" class="{name}"{help_text}><span class="sort"><span class="column">'
            f'{write_text(metric.label)}</span><span class="sense">{unit}<span aria-hidden="true">{arrow}</span>'
            f'<span class="unseen">, {words} is better</span></span></span></th>'
        )

    def _write_row(self, index: int) -> Iterator[str]:
        rows, head = self.head.rows, self.head
        yield f'<tr><td class="rank-cell">{self._write_rank(index)}</td>'
        label = f" · {write_name(rows.label[index])}" if rows.label else ""
        yield f'<th scope="row" class="player-cell"><a href="/b/{head.id}/p/{rows.player[index]}">'
        yield f"{write_name(rows.name[index])}{label}</a>{self._write_marks(index)}"
        done = self._value(DONE, index)
        if head.parts and done is not None and done < head.parts.total:
            yield f'<span class="tags">{done:.0f} of {head.parts.total} {write_text(head.parts.noun)}</span>'
        yield "</th>"
        for metric in self.metrics:
            value = self._value(metric.id, index)
            name = "number primary" if metric.primary else "number"
            digits = show_digits(value, metric.decimals)
            title = f' title="{digits}"' if digits else ""
            yield f'<td class="{name}"{title}>{show_value(value, metric)}</td>'
            if metric.primary and self.ends:
                yield self._write_shape(value, metric)
        at = datetime.fromtimestamp(rows.at[index] / 1000, UTC)
        yield f'<td class="number">{rows.submissions[index]:,}</td><td class="when">{write_time(at)}</td></tr>'

    def _value(self, column: str, index: int) -> float | None:
        values = self.head.rows.scores.get(column)
        return values[index] if values else None

    def _write_rank(self, index: int) -> str:
        rows = self.head.rows
        rank, mark = rows.rank[index], "=" if rows.tied[index] else ""
        has_value = self._value(self.metrics[0].id, index) is not None
        if rank > LAST_MEDAL or rows.rank.count(rank) > LAST_MEDAL or not has_value:
            return f"{mark}{rank:,}"
        medal = draw_medal(rank, tied=rows.tied[index])
        return f'<span class="rank">{medal}<span class="unseen">{rank}</span></span>'

    def _write_marks(self, index: int) -> str:
        rows = self.head.rows
        model = f'<abbr class="player-mark" title="model">{draw_icon(CHIP)}<span class="unseen"> model</span></abbr>'
        guest = '<abbr class="player-mark" title="guest"><span aria-hidden="true">°</span></abbr>'
        marks = (model if rows.kind[index] == "model" else "") + ("" if rows.verified[index] else guest)
        return marks + (_BASELINE if index in self.baselines else "")

    def _write_shape(self, value: float | None, metric: Metric) -> str:
        assert self.ends  # noqa: S101  # only asked where there are any
        worst, best = self.ends
        if value is None:
            return '<td class="shape-cell"><span class="gap"></span></td>'
        gap = "" if value == best else ("+" if value > best else "") + show_value(value - best, metric)
        gap = "" if gap == MISSING else gap
        line = draw_place((value - worst) / (best - worst))
        return f'<td class="shape-cell"><span class="gap">{gap}</span>{line}</td>'

    def _write_legend(self) -> Iterator[str]:
        rows = self.head.rows
        models = f"<span>{draw_icon(CHIP)} a model</span>" if "model" in rows.kind else ""
        guests = "" if all(rows.verified) else "<span>° a guest, whose name is not verified</span>"
        baselines = f"<span>{draw_icon(DASHES)} baseline</span>" if self.head.baselines else ""
        if models or guests or baselines:
            yield f'<p class="fine legend" aria-hidden="true">{models}{guests}{baselines}</p>'
