"""The served start page: the board with the latest event, and all as a plain table. Pure."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from storage.boards.models import Index, IndexEntry
from storage.boards.site.markup import (
    Embedded,
    PageMeta,
    show_value,
    show_with_unit,
    write_name,
    write_page,
    write_table,
    write_text,
)
from storage.keys import INDEX_KEY
from storage.players.names import label_player

SUMMARY: Final = "Boards for games and AI models: hand in a result, get a score, see who leads."
MAX_ENTRIES: Final = 200
"""The page has so many, and the app all."""
EVENT_ROWS: Final = 6
"""The app draws so many of the board with the latest event."""


def write_start_page(index: Index, etag: str, *, site: str) -> str:
    """Return the start page, which contains the index."""
    entries = sorted(index.benchmarks, key=_order)
    data = {
        "@type": "DataCatalog",
        "name": "Laurel",
        "url": f"{site}/",
        "dataset": [
            {"@type": "Dataset", "name": entry.title, "description": entry.summary, "url": f"{site}/b/{entry.id}"}
            for entry in entries[:MAX_ENTRIES]
        ],
    }
    led = [entry for entry in entries if entry.top]
    top = "<h2>Boards</h2>" if led else "<h1>Boards</h1>" if entries else "<h1>No boards yet</h1>"
    content = [
        '<div role="status"></div>',
        _write_event(max(led, key=_rank_event)) if led else "",
        f'<div class="toolbar">{top}</div>',
        write_table(("Board", "Leaders", "Players", "About"), map(_write_entry, entries[:MAX_ENTRIES])),
    ]
    meta = PageMeta("", SUMMARY, "/", site, data=data)
    return write_page(meta, content, Embedded(f"/{INDEX_KEY}", etag, index.to_body()))


def _order(entry: IndexEntry) -> tuple[bool, float, str]:
    return entry.state != "open", -entry.updated_at.timestamp(), entry.id


def _rank_event(entry: IndexEntry) -> tuple[float, datetime]:
    return entry.taken_at.timestamp() if entry.taken_at else 0, entry.updated_at


def _write_event(entry: IndexEntry) -> str:
    """Return the board with the latest event, in letters as large as the app's."""
    sentence = f"{write_name(entry.top[0].name)} leads"
    rows = [
        f'<span>{row.rank}</span><svg class="face" aria-hidden="true" width="26" height="26"></svg>'
        f'<span class="who">{write_name(row.name)}</span><b>{write_text(show_value(row.value, entry.primary))}</b>'
        for row in entry.top
    ]
    rows += [""] * (EVENT_ROWS - len(rows))
    sign = '<svg class="sign" aria-hidden="true" width="36" height="36"></svg>'
    title = f'{sign}<a href="/b/{entry.id}">{write_text(entry.title)}</a>'
    values = [row.value for row in entry.top[:2] if row.value is not None]
    distance = values[0] - values[-1] if values else 0
    ahead = f"<b>{write_text(show_value(abs(distance), entry.primary))} ahead</b>" if distance else "\u00a0"
    top = f'<div><p class="of">{title}</p><h1>{sentence}</h1><p>{ahead}</p></div>'
    return f'<article class="event">{top}<ol>{"".join(f"<li>{row}</li>" for row in rows)}</ol></article>'


def _write_entry(entry: IndexEntry) -> Iterator[str]:
    yield f'<a href="/b/{entry.id}">{write_text(entry.title)}</a>'
    yield ", ".join(
        f"{write_name(label_player(row.name, verified=row.verified))} "
        f"{write_text(show_with_unit(row.value, entry.primary))}"
        for row in entry.top
    )
    yield f"{entry.players:,}"
    yield write_text(entry.summary)
