"""The served start page: the boards as a plain table. Pure."""

from collections.abc import Iterator
from typing import Final

from storage.boards.models import Index, IndexEntry
from storage.boards.site.markup import (
    Embedded,
    PageMeta,
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
    content = [
        '<div role="status"></div><div class="hero"><h1>Boards</h1></div>',
        write_table(("Board", "Leaders", "Players", "About"), map(_write_entry, entries[:MAX_ENTRIES])),
    ]
    meta = PageMeta("", SUMMARY, "/", site, data=data)
    return write_page(meta, content, Embedded(f"/{INDEX_KEY}", etag, index.to_body()))


def _order(entry: IndexEntry) -> tuple[bool, float, str]:
    return entry.state != "open", -entry.updated_at.timestamp(), entry.id


def _write_entry(entry: IndexEntry) -> Iterator[str]:
    yield f'<a href="/b/{entry.id}">{write_text(entry.title)}</a>'
    yield ", ".join(
        f"{write_name(label_player(row.name, verified=row.verified))} "
        f"{write_text(show_with_unit(row.value, entry.primary))}"
        for row in entry.top
    )
    yield f"{entry.players:,}"
    yield write_text(entry.summary)
