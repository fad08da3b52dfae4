"""Pages without scripts, which programs read that show a preview of a link. Pure."""

from collections.abc import Mapping
from typing import Final

from handlers.http.submission_views import SubmissionView
from scoring_core.benchmarks.boards import MAIN
from storage.boards.models import Head
from storage.boards.site.board_page import describe_leader, find_primary, title_board, write_rows
from storage.boards.site.markup import PICTURE, PageMeta, picture_path, write_meta, write_name, write_query, write_text
from storage.boards.site.values import show_with_unit
from storage.boards.views import RankedRow
from storage.players.names import label_player

HOST_HEADER: Final = "x-viewer-host"
"""The host that the visitor asked; CloudFront sends the API's own as `Host`."""


def find_site(headers: Mapping[str, str]) -> str:
    """Return scheme and host of the site; "" if the request does not say."""
    host = headers.get(HOST_HEADER, "")
    scheme = "https" if headers.get("x-forwarded-proto") == "https" else "http"
    return host and f"{scheme}://{host}"


def describe_board(head: Head, *, site: str) -> PageMeta:
    """Return what a preview of a board says."""
    query = {} if head.board == MAIN else {"board": head.board}
    path = f"/b/{head.id}{write_query(**query)}"
    picture = picture_path(head.id, **query)
    return PageMeta(title_board(head), f"{head.summary} {describe_leader(head)}", path, site, picture)


def describe_row(head: Head, own: RankedRow, *, site: str) -> PageMeta:
    """Return what a preview of a player says."""
    primary = find_primary(head)
    value = own.row.scores.get(primary.id)
    score = "" if value is None else f", {primary.label} {show_with_unit(value, primary)}"
    title = f"{label_player(own.row.name, verified=own.row.verified)} · {title_board(head)}"
    description = f"Rank {own.rank} of {head.total:,}{score}. {head.summary}"
    picture = picture_path(head.id, player=own.row.player)
    return PageMeta(title, description, f"/b/{head.id}/p/{own.row.player}", site, picture)


def describe_submission(head: Head, view: SubmissionView, *, is_banned: bool, site: str) -> PageMeta:
    """Return what a preview of a submission says.

    That is nothing of one that is withdrawn, waits, or is a banned player's.
    """
    primary = find_primary(head)
    value = None if view.withdrawn or is_banned else (view.scores or {}).get(primary.id)
    title, rank, picture = f"A submission · {head.title}", "", PICTURE
    if value is not None:
        score = f"{primary.label} {show_with_unit(value, primary)}"
        title = f"{score} · {label_player(view.name, verified=view.verified)} · {head.title}"
        rank = "" if view.rank is None else f" The player is at rank {view.rank:,} of {head.total:,}."
        picture = picture_path(head.id, submission=view.submission)
    return PageMeta(title, f"{head.summary}{rank}", f"/b/{head.id}/s/{view.submission}", site, picture)


def write_card(meta: PageMeta, head: Head | None = None) -> str:
    """Return a page that says what another one is about, with a board's first rows."""
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{write_meta(meta)}
<h1>{write_name(meta.title)}</h1>
<p>{write_text(meta.description)}</p>
<p><a href="{write_text(meta.path)}">The whole {"page" if head is None else "board"}</a></p>
{write_rows(head) if head else ""}
</html>
"""
