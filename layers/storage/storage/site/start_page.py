"""The served start page: every board as a card, laid out as the app does. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from scoring_core.metrics.score_type import Direction
from storage.access.names import label_player
from storage.boards.models import Index, IndexEntry
from storage.keys import INDEX_KEY
from storage.site.drawings import LAST_MEDAL, draw_medal, draw_spread
from storage.site.markup import Embedded, PageMeta, write_name, write_page, write_text
from storage.site.values import show_count, show_value, show_with_unit, write_state, write_time

SUMMARY: Final = "Boards for games and AI models: hand in a result, get a score, see who leads."
MAX_CARDS: Final = 200
"""The page has so many, and the app all."""
MAX_NEWS: Final = 3
DAY: Final = timedelta(days=1)


def write_start_page(index: Index, etag: str, *, site: str, now: datetime) -> str:
    """Return the start page, which contains the index."""
    entries = sorted(index.benchmarks, key=_order)
    data = {
        "@type": "DataCatalog",
        "name": "Laurel",
        "url": f"{site}/",
        "dataset": [
            {"@type": "Dataset", "name": entry.title, "description": entry.summary, "url": f"{site}/b/{entry.id}"}
            for entry in entries[:MAX_CARDS]
        ],
    }
    cards = (line for entry in entries[:MAX_CARDS] for line in _write_card(entry, now))
    content = [
        '<div role="status"></div><div class="hero"><h1>Boards</h1>',
        '<p class="lead">Hand in a result, get a score, see who leads.</p>',
        '<p class="labels"><a href="/docs/games">Add a game</a> <a href="/docs/players">Hand in a model’s runs</a> ',
        '<a href="/docs/benchmarks">Make a benchmark</a> <a href="/owners">For owners</a></p>',
        f"{''.join(_write_news(entries, now))}</div>",
        '<div class="toolbar"><div class="search"></div>',
        f'<p class="count">{show_count(len(entries), "board")}</p></div>',
        f'<ul class="cards">{"".join(cards)}</ul>',
    ]
    meta = PageMeta("", SUMMARY, "/", site, data=data)
    return write_page(meta, content, Embedded(f"/{INDEX_KEY}", etag, index.to_body()))


def _write_news(entries: Sequence[IndexEntry], now: datetime) -> Iterator[str]:
    """Yield who took the lead of a board within the last day, the latest first."""
    taken = [entry for entry in entries if entry.top and entry.taken_at and now - entry.taken_at < DAY]
    taken.sort(key=lambda entry: entry.taken_at or now, reverse=True)
    if taken:
        yield '<ul class="today" aria-label="Today">'
        for entry in taken[:MAX_NEWS]:
            name = write_name(label_player(entry.top[0].name, verified=entry.top[0].verified))
            yield f'<li><a href="/b/{entry.id}">{write_text(entry.title)}</a>'
            yield f"<span>{name} took the lead, {write_time(entry.taken_at or now)}</span></li>"
        yield "</ul>"


def _write_sense(entry: IndexEntry) -> str:
    """Return what is ranked by, between its values of the last and the first."""
    primary = entry.primary
    last, first = (f'<span aria-hidden="true">{show_value(end, primary)}</span>' for end in entry.ends or (None, None))
    arrow = "↑" if primary.direction is Direction.HIGHER else "↓"
    sense = f'<span aria-hidden="true">{arrow}</span><span class="unseen">, {primary.direction.value} is better</span>'
    label = f"<span>{write_text(primary.label)} {sense}</span>"
    return f"{last}{label}{first}" if entry.ends else label


def _order(entry: IndexEntry) -> tuple[bool, float, str]:
    return entry.state != "open", -entry.updated_at.timestamp(), entry.id


def _write_card(entry: IndexEntry, now: datetime) -> Iterator[str]:
    yield f'<li><article class="card"><h2 lang=""><a href="/b/{entry.id}">{write_text(entry.title)}</a></h2>'
    yield f'<p class="summary" lang="">{write_text(entry.summary)}</p>'
    yield f'<p class="labels">{write_state(now, entry.opens, entry.closes)}'
    yield from (f'<span class="pill plain">{write_text(tag)}</span>' for tag in entry.tags)
    if entry.link:
        url, label = write_text(entry.link.url), write_text(entry.link.label)
        yield f'<a class="outside" href="{url}" rel="noopener">{label}</a>'
    yield "</p>"
    if entry.top:
        yield '<div class="first-rows"><table><tbody>'
        for row in entry.top:
            name = write_name(label_player(row.name, verified=row.verified))
            rank = draw_medal(row.rank) if row.rank <= LAST_MEDAL else row.rank
            yield f'<tr><td>{rank}</td><th scope="row" class="leaders">{name}</th>'
            yield f'<td class="number">{write_text(show_with_unit(row.value, entry.primary))}</td></tr>'
        yield f"</tbody></table>{draw_spread(entry.spread) if entry.spread else ''}"
        yield f'<p class="fine">{_write_sense(entry)}</p></div>'
    else:
        yield '<p class="first-rows">Nobody is on this board yet.</p>'
    counts = f"{show_count(entry.players, 'player')} · {show_count(entry.submissions, 'submission')}"
    yield f'<p class="fine"><span>{counts}</span>{write_time(entry.updated_at)}</p></article></li>'
