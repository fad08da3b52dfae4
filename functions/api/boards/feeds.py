"""The Atom feed of a board: who took the lead, and with what. Pure.

Source: docs/sources.md, "Formats and names".
"""

from datetime import UTC, datetime
from typing import Final
from xml.etree import ElementTree as ET

from scoring_core.benchmarks.boards import MAIN
from scoring_core.io.text import mask_harmful
from storage.boards.models import Head
from storage.boards.site.board_page import title_board
from storage.boards.site.markup import show_with_unit, write_query
from storage.players.names import label_player

MAX_ENTRIES: Final = 20
NAMESPACE: Final = "http://www.w3.org/2005/Atom"


def write_feed(head: Head, *, site: str) -> str:
    """Return the feed of a board, with an entry for each of its newest improvements.

    It has what the head has: nobody who is banned, and no submission that is withdrawn or in review.

    Args:
        head: The head of the board.
        site: Scheme and host; "" leaves addresses relative.
    """
    query = {} if head.board == MAIN else {"board": head.board}
    view = write_query(**query)
    steps = head.improvements.steps[: -MAX_ENTRIES - 1 : -1]
    feed = ET.Element("feed", xmlns=NAMESPACE)
    _add(feed, "title", title_board(head))
    _add(feed, "subtitle", head.summary)
    _add(feed, "id", f"urn:laurel:board:{head.id}:{head.board}")
    _add(feed, "updated", _show_moment(steps[0][0]) if steps else head.generated_at.isoformat(timespec="seconds"))
    _add(feed, "link", rel="alternate", href=f"{site}/b/{head.id}{view}")
    _add(feed, "link", rel="self", href=f"{site}/api/benchmarks/{head.id}/rows.atom{view}")
    _add(_add(feed, "author"), "name", "Laurel")
    primary = head.primary
    shown = zip(head.rows.player, head.rows.name, head.rows.verified, strict=True)
    names = {player: label_player(name, verified=verified) for player, name, verified in shown}
    for at, value, row, submission in steps:
        entry = _add(feed, "entry")
        _add(entry, "title", f"{names.get(row, row)}: {primary.label} {show_with_unit(value, primary)}")
        _add(entry, "id", f"urn:laurel:submission:{submission}:{head.board}")
        _add(entry, "updated", _show_moment(at))
        _add(entry, "link", rel="alternate", href=f"{site}/b/{head.id}/s/{submission}")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(feed, encoding="unicode")}'


def _add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, name, attributes)
    element.text = None if text is None else mask_harmful(text)
    return element


def _show_moment(milliseconds: int) -> str:
    """Return a moment as RFC 3339."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")
