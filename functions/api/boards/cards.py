"""What a shared link is about, and its page: nothing that everybody may not see. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from api.players.views import PlayerBoards
from handlers.http.outcomes import find_player
from handlers.http.submission_views import SubmissionView
from scoring_core.benchmarks.boards import MAIN
from storage.boards.models import Head
from storage.boards.reading import RowsAround
from storage.boards.site.board_page import title_board
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
from storage.boards.views import RankedRow
from storage.keys import head_key
from storage.players.names import label_player
from storage.submissions.models import Player

HOST_HEADER: Final = "x-viewer-host"
"""The host that the visitor asked; CloudFront sends the API's own as `Host`."""
ROWS: Final = 6
"""So many rows are shown of a board, or around a player's own."""
_ABOVE: Final = 2


class Story(NamedTuple):
    """A player's place on a board, or a submission that everybody may see.

    Args:
        head: The board.
        player: Whose it is.
        scores: Those of the row, or of the submission where no row rests on it.
        place: The player's row; None where it does not rest on the submission.
        rows: That row and those around it, in order.
        submission: The submission, if it is about one.
        before: The rank that the player would have without it; None if that is not known.
    """

    head: Head
    player: Player
    scores: Mapping[str, int | float]
    place: RankedRow | None
    rows: Sequence[RankedRow]
    submission: str | None = None
    before: int | None = None

    @property
    def value(self) -> str:
        """What ranks it, with its metric and unit."""
        primary = self.head.primary
        return f"{primary.label} {show_with_unit(self.scores.get(primary.id), primary)}"

    @property
    def standing(self) -> str:
        """The rank in words; "" without a place."""
        return f"{spell_rank(self.place.rank)} of {self.head.total:,}" if self.place else ""

    @property
    def sentence(self) -> str:
        """The rank, what it rests on, and how far it is to the next."""
        return ", ".join(filter(None, (self.standing, self.value, self.gap)))

    @property
    def gap(self) -> str:
        """How far it is to the row before, or of the first to the second."""
        if self.place is None or len(self.rows) == 1:
            return ""
        primary, index = self.head.primary, self.rows.index(self.place)
        other = self.rows[abs(index - 1)].row
        own, its = self.scores.get(primary.id), other.scores.get(primary.id)
        if own is None or its is None or own == its:
            return ""
        return f"{show_with_unit(abs(own - its), primary)} {'behind' if index else 'ahead of'} {other.name}"


def tell_story(head: Head, around: RowsAround | None, view: SubmissionView | None = None) -> Story | None:
    """Return the story of a submission, or of a player.

    None if the player has no row, and the submission no score that counts.
    """
    scores = (view and view.scores) or {}
    if view is not None and (view.late or view.withdrawn is not None or head.primary.id not in scores):
        return None
    if around is None or (view is not None and around.own.row.submission != view.submission):
        if view is None:
            return None
        player = Player(view.player, view.name, view.kind, verified=view.verified)
        return Story(head, player, scores, None, (), view.submission)
    place = around.own
    start = max(0, min(around.rows.index(place) - _ABOVE, len(around.rows) - ROWS))
    shown = around.rows[start : start + ROWS]
    story = Story(head, find_player(place), place.row.scores, place, shown)
    if view is None:
        return story
    return story._replace(submission=view.submission, before=view.rank_before if head.board == MAIN else None)


def spell_rank(rank: int) -> str:
    """Return a rank in English.

    >>> spell_rank(1), spell_rank(22), spell_rank(1013)
    ('1st', '22nd', '1,013th')
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{rank:,}{'th' if rank % 100 in {11, 12, 13} else ends.get(rank % 10, 'th')}"


def find_site(headers: Mapping[str, str]) -> str:
    """Return scheme and host of the site; "" if the request does not say."""
    host = headers.get(HOST_HEADER, "")
    scheme = "https" if headers.get("x-forwarded-proto") == "https" else "http"
    return host and f"{scheme}://{host}"


def write_story(story: Story, main: Head, *, site: str, is_listed: bool = True) -> str:
    """Return the page of a player or submission, with the head of the main board.

    It says in plain text what the app shows.
    """
    head, player, submission = story.head, story.player, story.submission
    name, board = label_player(player.name, verified=player.verified), title_board(head)
    about = {"player": player.id} if submission is None else {"submission": submission}
    meta = PageMeta(
        title=f"{name} · {board}" if submission is None else f"{name}: {story.standing or story.value} · {board}",
        description=f"{story.sentence}. {head.summary}",
        path=f"/b/{head.id}/p/{player.id}" if submission is None else f"/b/{head.id}/s/{submission}",
        site=site,
        picture=picture_path(head.id, **about),
        is_listed=is_listed,
    )
    query = {} if head.board == MAIN else {"board": head.board}
    hero = f'<p class="crumbs"><a href="/">Boards</a> <a href="/b/{head.id}{write_query(**query)}">{write_text(board)}'
    hero += f'</a></p><div class="headline"><div><h1 class="name">{write_name(name)}</h1>'
    hero += f'<p class="lead">{write_text(story.sentence)}</p></div></div>'
    labels = ("Rank", "Player", head.primary.label)
    table = write_table(labels, (_write_row(head, ranked) for ranked in story.rows)) if story.rows else ""
    rule = f'<p class="rule">{write_text(f"{head.summary} {head.ranking.rule}")}</p>'
    content = [f'<div class="hero">{hero}</div>', table, rule]
    return write_page(meta, content, Embedded(f"/{head_key(main.id)}", "", main.to_body()))


def write_profile(view: PlayerBoards, *, site: str) -> str:
    """Return the page of a player over all benchmarks."""
    best = min(view.benchmarks, key=lambda each: each.rank)
    name = label_player(view.name, verified=view.verified)
    places = [(each, f"{spell_rank(each.rank)} of {each.total:,}") for each in view.benchmarks]
    ranks = ", ".join(f"{place} in {each.title}" for each, place in places)
    picture = picture_path(best.benchmark, player=view.player)
    meta = PageMeta(name, f"{ranks}.", f"/p/{view.player}", site, picture)
    rows = (
        (f'<a href="/b/{each.benchmark}/p/{view.player}">{write_text(each.title)}</a>', place, f"{each.submissions:,}")
        for each, place in places
    )
    count = show_count(len(places), "board"), show_count(sum(each.submissions for each, _ in places), "submission")
    about = f'<h1>{write_name(name)}</h1><p class="fine">{" · ".join(count)}</p>'
    face = '<svg class="face" aria-hidden="true" width="104" height="104"></svg>'
    portrait = f'<div class="portrait">{face}<div>{about}</div></div>'
    lines = [portrait, write_table(("Benchmark", "Rank", "Submissions"), rows)]
    return write_page(meta, lines, Embedded(f"/api/players/{view.player}", "", view.model_dump_json().encode()))


def _write_row(head: Head, ranked: RankedRow) -> tuple[str, str, str]:
    primary, row = head.primary, ranked.row
    label = f" · {write_name(row.label)}" if row.label else ""
    value = write_text(show_value(row.scores.get(primary.id), primary))
    rank = f"{'=' if ranked.tied else ''}{ranked.rank:,}"
    return rank, f"{write_name(label_player(row.name, verified=row.verified))}{label}", value
