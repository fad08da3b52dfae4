"""Pages without scripts, which programs read that show a preview of a link. Pure."""

from collections.abc import Mapping
from html import escape
from typing import Final

from scoring_core.benchmarks.boards import MAIN
from storage.access.names import label_player
from storage.badges import format_score
from storage.boards.models import Head
from storage.boards.views import RankedRow

HOST_HEADER: Final = "x-viewer-host"
"""The host that the visitor asked; CloudFront sends the API's own as `Host`."""
MAX_ROWS: Final = 50
_PICTURE: Final = "/social.png"


def find_site(headers: Mapping[str, str]) -> str:
    """Return scheme and host of the site; "" if the request does not say."""
    host = headers.get(HOST_HEADER, "")
    return host and f"{headers.get('x-forwarded-proto', 'http')}://{host}"


def write_card(head: Head, own: RankedRow | None, *, site: str) -> str:
    """Return a board's first rows, or a player's row, as HTML; texts are escaped.

    Args:
        head: The board.
        own: The player's row; None for the board as a whole.
        site: Scheme and host, for the address of the picture; "" for no picture.
    """
    board = head.title if head.board_title is None else f"{head.title}: {head.board_title}"
    if own is None:
        title, description = board, f"{head.summary} {_describe_leader(head)}"
    else:
        title = f"{label_player(own.row.name, verified=own.row.verified)} · {board}"
        description = f"Rank {own.rank} of {head.total:,}{_score_of(head, own)}. {head.summary}"
    tags = {"og:type": "website", "og:site_name": "Laurel", "og:title": title, "og:description": description}
    if site:
        tags |= {"og:image": f"{site}{_PICTURE}", "og:image:width": "1200", "og:image:height": "630"}
        tags |= {"og:image:alt": "Laurel", "twitter:card": "summary_large_image"}
    metas = "\n".join(f'<meta property="{name}" content="{escape(text)}">' for name, text in tags.items())
    path = f"/b/{head.id}" if own is None else f"/b/{head.id}/p/{own.row.player}"
    query = "" if head.board == MAIN or own is not None else f"?board={head.board}"
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="{escape(description)}">
<title>{escape(title)} · Laurel</title>
{metas}
<h1><bdi>{escape(title)}</bdi></h1>
<p>{escape(description)}</p>
<p><a href="{path}{query}">The whole {"board" if own is None else "page"}</a></p>
{_write_table(head) if own is None else ""}
</html>
"""


def _describe_leader(head: Head) -> str:
    if not head.rows.rank:
        return "Nobody is on this board yet."
    name = label_player(head.rows.name[0], verified=head.rows.verified[0])
    primary = next(metric for metric in head.metrics if metric.primary)
    value = next(iter(head.rows.scores.get(primary.id, ())), None)
    score = "" if value is None else f" with {format_score(value, primary)}"
    return f"{name} leads{score}; {head.total:,} {'row' if head.total == 1 else 'rows'}."


def _score_of(head: Head, own: RankedRow) -> str:
    primary = next(metric for metric in head.metrics if metric.primary)
    value = own.row.scores.get(primary.id)
    return "" if value is None else f", {primary.label} {format_score(value, primary)}"


def _write_table(head: Head) -> str:
    rows = head.rows
    header = "".join(f"<th>{escape(label)}" for label in ("Rank", "Player", *(metric.label for metric in head.metrics)))
    lines = [f"<tr>{header}"]
    for index, name in enumerate(rows.name[:MAX_ROWS]):
        values = [rows.scores[metric.id][index] if metric.id in rows.scores else None for metric in head.metrics]
        cells = [
            "–" if value is None else escape(format_score(value, metric))
            for value, metric in zip(values, head.metrics, strict=True)
        ]
        player = escape(label_player(name, verified=rows.verified[index]))
        lines.append(f"<tr><td>{rows.rank[index]}<td><bdi>{player}</bdi>{''.join(f'<td>{cell}' for cell in cells)}")
    return "<table>\n" + "\n".join(lines) + "\n</table>"
