"""The pictures of previews: what is where, texts that the fonts lack, and hostile ones."""

import io
import re
from typing import Final

import pytest
from PIL import Image

from api.boards.pictures.contents import picture_board, picture_player, picture_submission
from api.boards.pictures.drawing import Picture, PictureRow, Scale, draw_picture
from api.boards.pictures.glyphs import can_show
from api.boards.pictures.rendering import make_etag, render_png
from handlers.http.submission_views import SubmissionView
from storage.boards.models import Head
from storage.boards.pages import Row
from storage.boards.views import RankedRow
from tests.web.boards import START, make_board, make_hostile_board

GROUND: Final = (0xFB, 0xFC, 0xFB)
ACCENT: Final = (0x13, 0x6A, 0x41)
MEDALS: Final = [(0xF0, 0xC2, 0x43), (0xC9, 0xD2, 0xD8), (0xDD, 0x9A, 0x63)]
CELL: Final = 20
COLUMNS: Final = 60
ABSENT: Final = "\u0e01"
"""A Thai letter, which the fonts lack: all that they lack is drawn alike."""


def decode(svg: str) -> Image.Image:
    """Return the pixels of an SVG."""
    return Image.open(io.BytesIO(render_png(svg))).convert("RGB")


def render(picture: Picture) -> Image.Image:
    """Return the pixels of a picture."""
    return decode(draw_picture(picture))


def is_plain(image: Image.Image, *box: int) -> bool:
    """Return whether a rectangle, left, top, right and bottom, has one colour."""
    left, top, right, bottom = box
    return all(low == high for low, high in image.crop((left, top, right, bottom)).getextrema())


def find_colours(image: Image.Image, *places: tuple[int, int]) -> list[object]:
    """Return the colours at some places."""
    return [image.getpixel(place) for place in places]


def make_view(head: Head, **changes: object) -> SubmissionView:
    """Return a scored submission as everybody sees it."""
    fields = {
        "submission": "01a1fb00-0000-7000-8000-000000000000", "benchmark": head.id, "player": "ada", "name": "Ada",
        "kind": "human", "verified": False, "submitted_at": START, "status": "done", "outcome": "scored",
        "scores": {"Score": 999.0}, "rank": 12,
    }  # fmt: skip
    return SubmissionView.model_validate(fields | changes)


def test_picture_has_mark_rows_and_places() -> None:
    """The laurel, a medal, and a dot on each line stand where the layout has them; what is below is empty."""
    rows = [PictureRow(1, "Ada", "300", 1.0), PictureRow(2, "Grace", "299", 0.5), PictureRow(3, "Bea", "1", 0.0)]
    image = render(Picture("3 players", "Coin Run", "coin-run", "Coins, higher is better", rows))

    assert image.size == (1200, 630)
    assert find_colours(image, (600, 5), (75, 90)) == [ACCENT] * 2
    assert find_colours(image, (600, 605)) == [GROUND]
    assert find_colours(image, (100, 318), (100, 410), (100, 502)) == MEDALS
    assert find_colours(image, (851, 340), (750, 432), (649, 524), (700, 524)) == [ACCENT] * 4
    assert find_colours(image, (700, 340)) == [(0xE0, 0xE6, 0xE2)]


@pytest.mark.parametrize(
    "changes", [{"scores": None}, {"scores": {}}, {"withdrawn": {"at": START, "reason": "r", "by": "player"}}]
)
def test_submission_without_public_score_has_no_picture(changes: dict[str, object]) -> None:
    """One that waits, is withdrawn or was not scored has nothing to draw."""
    head = make_board("many", players=30)
    assert picture_submission(head, head, make_view(head, **changes)) is None


def test_names_that_fonts_lack_are_left_out() -> None:
    """No box stands for a name in other scripts, an emoji or a mark, and its row keeps rank and value."""
    for name in ("علی", "🏆 Ada", f"A{ABSENT}", "Z\u0300\u0301", "한국", "\u202eevil"):
        image = render(Picture(name, name, "A player", name, [PictureRow(1, name, "300")]))
        assert is_plain(image, 300, 60, 1128, 120), name
        assert is_plain(image, 168, 310, 640, 370), name
        assert is_plain(image, 72, 240, 1128, 275), name
        assert not is_plain(image, 72, 160, 400, 220), name
        assert not is_plain(image, 1000, 310, 1128, 370), name


@pytest.mark.long
def test_every_character_that_can_be_shown_has_a_glyph() -> None:
    """What `can_show` promises is in the fonts: none of it looks as one that is missing."""
    characters = [chr(code) for code in range(0x21, 0x10000) if not chr(code).isspace() and can_show(chr(code))]
    invisible = {"\u00ad", "\u2011"}
    shown = [ABSENT, *(character for character in characters if character not in invisible)]
    assert len(shown) > 8_000
    for start in range(0, len(shown), 2_400):
        part = [ABSENT, *shown[start : start + 2_400]]
        texts = "".join(
            f'<text x="{2 + index % COLUMNS * CELL}" y="{15 + index // COLUMNS * CELL}">&#{ord(character)};</text>'
            for index, character in enumerate(part)
        )
        height = (len(part) // COLUMNS + 1) * CELL
        image = decode(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{COLUMNS * CELL}" height="{height}" font-size="12" '
            f'font-family="Noto Sans,Noto Sans CJK SC"><rect width="100%" height="100%" fill="#fff"/>{texts}</svg>'
        )
        corners = ((index % COLUMNS * CELL, index // COLUMNS * CELL) for index in range(len(part)))
        cells = [image.crop((x, y, x + CELL, y + CELL)).tobytes() for x, y in corners]
        lacking = [character for character, cell in zip(part, cells, strict=True) if cell == cells[0]]
        assert set(lacking) <= {ABSENT}


def test_long_texts_stay_in_their_places() -> None:
    """64 wide letters reach neither the line nor the value beside them, nor the edge."""
    for letter in ("W", "Ｗ", "%", "ﷺ", "i"):
        long = letter * 64
        rows = [PictureRow(1, long, long, 0.5)]
        image = render(Picture(long, long, "x" * 64, long, rows, Scale(long, long, 0.5)))
        assert is_plain(image, 1130, 20, 1200, 630), letter
        assert is_plain(image, 610, 310, 638, 370), letter
        assert is_plain(image, 864, 310, 880, 370), letter
        assert is_plain(image, 300, 60, 360, 120), letter


def test_hostile_texts_are_texts() -> None:
    """No name can add an element to the picture."""
    evil = '</text><image href="file:///etc/passwd"/><text>&amp;'
    svg = draw_picture(Picture(evil, evil, evil, evil, [PictureRow(1, evil, evil)]))

    assert "<image" not in svg
    assert re.findall(r"<(\w+)", svg).count("text") == 7
    assert svg.startswith("<svg")


def test_pictures_of_boards() -> None:
    """A board's has its first three rows; one without rows says what it is about; hostile ones are drawn."""
    head, empty = make_board("thirty", players=30), make_board("none", players=0)

    picture = picture_board(head)
    assert (picture.title, picture.subject) == ("Board thirty", "30 players")
    assert [row.rank for row in picture.rows] == list(head.rows.rank[:3])
    assert picture.rows[0].place == pytest.approx(1.0)
    assert picture_board(empty).rows == []
    for each in (empty, make_hostile_board("hostile")):
        assert render(picture_board(each)).size == (1200, 630)


def test_picture_of_a_player_has_ranks_on_boards() -> None:
    """The first board says the rank; a board of its own title is named by it."""
    head = make_board("thirty", players=30)
    level = head.model_copy(update={"board": "level-1", "board_title": "Level 1"})
    scores = {"Score": 990.0, "Time": 12.0}
    row = RankedRow(
        rank=4,
        tied=False,
        row=Row("ada", "Ada", "human", verified=True, label=None, scores=scores, submissions=1, submission="01a1fb00"),
    )

    picture = picture_player([(head, row), (level, row._replace(rank=1))])

    assert picture.note == "rank 4 of 30"
    assert [(each.rank, each.name) for each in picture.rows] == [(4, "Board thirty"), (1, "Level 1")]


def test_tag_names_what_is_drawn() -> None:
    """The same picture has the same tag, and any change another one."""
    one = draw_picture(picture_board(make_board("thirty", players=30)))
    other = draw_picture(picture_board(make_board("thirty", players=31)))

    assert make_etag(one) == make_etag(one) != make_etag(other)
    assert re.fullmatch(r'"[0-9a-f]{32}"', make_etag(one))
