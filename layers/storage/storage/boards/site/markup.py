"""The frame of a served page, and texts of people in it. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from scoring_core.io.text import mask_harmful, shorten
from scoring_core.metrics import spelling
from storage.boards.models import Metric

FORM: Final = 9
"""Pages of another form are written again. Raise it when the pages of before must go."""
PICTURE: Final = "/social.png"
MAX_DESCRIPTION: Final = 300
BARE: Final = (
    '<noscript><p class="wide">Laurel draws this page with JavaScript. The data of boards is plain JSON:',
    '<a href="/data/index.json">/data/index.json</a>.</p></noscript>',
)
"""The content of a page that only the app fills."""
_BAR: Final = """<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="wide"><a class="brand" href="/"><img src="/favicon.svg" alt="" width="26" height="26">
Laurel</a><nav aria-label="Site"><a href="/">Boards</a><a href="/about">About</a><a href="/api/docs">API</a></nav>
</div></header>"""
_FOOT: Final = """<noscript><footer class="bottom"><div class="wide">
<span>Scores what games and AI models produce, and shows who leads.</span><a href="/about">How it works</a>
</div></footer></noscript>"""
"""Outside of what the app draws over: it has a foot of its own, with the languages, and would leave this one."""


class Embedded(NamedTuple):
    """A file of which the page has the content, so that the app need not fetch it: its path, ETag and JSON.

    `boards` are ids and titles of a benchmark's boards, as its tabs show them.
    """

    path: str
    etag: str
    body: bytes
    boards: Sequence[tuple[str, str | None]] = ()


class PageMeta(NamedTuple):
    """What programs read of a page.

    Args:
        title: Of the page, without the site's name; "" for the site's own.
        description: One or two sentences; it is cut to MAX_DESCRIPTION characters.
        path: The canonical address, as a path.
        site: Scheme and host; "" leaves addresses relative.
        picture: The path of a picture of 1200 × 630 pixels.
        data: What the page is about, as JSON-LD.
        croissant: The path of a description of its data in Croissant.
        feed: The path of an Atom feed of it.
        is_listed: Whether search engines may show it.
    """

    title: str
    description: str
    path: str
    site: str = ""
    picture: str = PICTURE
    data: Mapping[str, Any] = {}
    croissant: str | None = None
    feed: str | None = None
    is_listed: bool = True


def picture_path(benchmark: str, **query: str) -> str:
    """Return the path of the picture of a board, player or submission.

    >>> picture_path("coin-run", player="ada")
    '/api/benchmarks/coin-run/rows.png?player=ada'
    """
    return f"/api/benchmarks/{benchmark}/rows.png{write_query(**query)}"


def write_query(**query: str) -> str:
    """Return the query of an address; "" if it says nothing.

    >>> write_query(board="level-1"), write_query()
    ('?board=level-1', '')
    """
    return f"?{urlencode(query)}" if query else ""


def write_text(text: str) -> str:
    r"""Return a text of one line for HTML, also in quotes, without harmful characters.

    >>> write_text('<b> "a" \u202e')
    '&lt;b&gt; &quot;a&quot; \ufffd'
    """
    return escape(mask_harmful(text))


def write_name(text: str) -> str:
    """Return a text for HTML whose writing direction changes nothing around it."""
    return f"<bdi>{write_text(text)}</bdi>"


def write_table(labels: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table.

    Args:
        labels: The texts above its columns.
        rows: Their cells, as HTML.
    """
    header = "".join(f'<th scope="col">{write_text(label)}</th>' for label in labels)
    lines = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    table = f"<thead><tr>{header}</tr></thead><tbody>\n{lines}\n</tbody>"
    return f'<div class="scroller" tabindex="0"><table class="data">{table}</table></div>'


def write_json(body: str) -> str:
    r"""Return JSON for an element `script`, which nothing in it can end.

    >>> write_json('["</script><!--"]')
    '["\\u003c/script>\\u003c!--"]'
    """
    return body.replace("<", "\\u003c")


def write_mark(etag: str) -> str:
    """Return the attributes that say what a page shows, and in which form.

    No text in a page can have them.
    """
    return f'data-form="{FORM}" data-etag="{escape(etag)}"'


def write_meta(meta: PageMeta) -> str:
    """Return title, description, address and picture as elements of a page's head."""
    title = f"{write_text(meta.title)} · Laurel" if meta.title else "Laurel"
    description = write_text(shorten(meta.description, MAX_DESCRIPTION))
    url = f"{meta.site}{meta.path}"
    tags = {"og:type": "website", "og:site_name": "Laurel", "og:title": write_text(meta.title) or "Laurel"}
    tags |= {"og:description": description, "og:url": escape(url), "og:image": escape(f"{meta.site}{meta.picture}")}
    tags |= {"og:image:width": "1200", "og:image:height": "630", "og:image:alt": title}
    lines = [
        f"<title>{title}</title>",
        f'<meta name="description" content="{description}">',
        f'<link rel="canonical" href="{escape(url)}">',
        *(f'<meta property="{name}" content="{text}">' for name, text in tags.items()),
        '<meta name="twitter:card" content="summary_large_image">',
    ]
    if not meta.is_listed:
        lines.append('<meta name="robots" content="noindex">')
    if meta.croissant:
        lines.append(f'<link rel="alternate" type="application/ld+json" href="{escape(meta.croissant)}">')
    if meta.feed:
        lines.append(f'<link rel="alternate" type="application/atom+xml" href="{escape(meta.feed)}">')
    if meta.data:
        text = write_json(json.dumps({"@context": "https://schema.org", **meta.data}, ensure_ascii=False))
        lines.append(f'<script type="application/ld+json">{text}</script>')
    return "\n".join(lines)


def write_page(meta: PageMeta, content: Sequence[str] = (), embedded: Embedded | None = None) -> str:
    """Return a page that the app takes over.

    Its scripts and styles have addresses that all builds of the site have, so no page names a file that is gone. They
    come first: a browser asks for them before it has read what only programs read.

    Args:
        meta: What programs read of it.
        content: The lines of HTML between the site's bar and its foot.
        embedded: The file that the page shows.
    """
    served = ""
    if embedded:
        attributes = f'data-path="{escape(embedded.path)}" {write_mark(embedded.etag)}'
        if embedded.boards:
            boards = json.dumps([{"id": board, "title": title} for board, title in embedded.boards], ensure_ascii=False)
            attributes += f' data-boards="{escape(boards)}"'
        served = (
            f'<script type="application/json" id="served" {attributes}>{write_json(embedded.body.decode())}</script>'
        )
    lines = "\n".join(content)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/app/style.css">
<script type="module" src="/app/main.js"></script>
{write_meta(meta)}
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f5f7f5">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0a0f0d">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="manifest" href="/site.webmanifest">
</head>
<body>
<div id="app">
{_BAR}
<main id="main" class="wide" tabindex="-1">
{lines}
</main>
</div>
{_FOOT}
{served}
</body>
</html>
"""


def show_value(value: float | None, metric: Metric) -> str:
    """Return a value of a metric without its unit; a dash if it is missing."""
    return spelling.show_number(value, metric.decimals, metric.unit)


def show_with_unit(value: float | None, metric: Metric) -> str:
    """Return a value with the metric's unit."""
    return spelling.show_with_unit(value, metric.decimals, metric.unit)


def show_count(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun; without a plural, `s` is added.

    >>> show_count(1, "player"), show_count(3000, "player"), show_count(2, "entry", "entries")
    ('1 player', '3,000 players', '2 entries')
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"
