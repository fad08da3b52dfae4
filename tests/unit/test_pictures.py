"""The pictures of previews: what is where, texts that the fonts lack, hostile ones, and the faces of the site."""

import io
import json
import re
import subprocess
from typing import Final

import pytest
from PIL import Image

from api.boards.cards import ROWS, Story, tell_story, write_story
from api.boards.pictures.drawing import can_show, draw_board, draw_story, make_etag, render_png
from api.boards.pictures.signs import make_sign
from handlers.http.submission_views import SubmissionView
from scripts.frontend.build_frontend import FRONTEND, find_program
from storage.boards.models import Head
from storage.boards.pages import Row
from storage.boards.reading import RowsAround
from storage.boards.views import RankedRow
from tests.web.boards import START, make_board, make_hostile_board

GROUND: Final = (0x0B, 0x37, 0x6A)
WHITE: Final = (0xFF, 0xFF, 0xFF)
MEDALS: Final = [(0xF3, 0xC2, 0x3C), (0xC6, 0xD0, 0xD7), (0xDC, 0x97, 0x60)]
CELL: Final = 20
COLUMNS: Final = 60
ABSENT: Final = "\u0e01"
"""A Thai letter, which the fonts lack: all that they lack is drawn alike."""


def decode(svg: str) -> Image.Image:
    """Return the pixels of an SVG."""
    return Image.open(io.BytesIO(render_png(svg))).convert("RGB")


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
        "submission": "s4", "benchmark": head.id, "player": "p4", "name": "P4", "kind": "human", "verified": True,
        "submitted_at": START, "status": "done", "outcome": "scored", "scores": {"Score": 999.0}, "rank": 12,
    }  # fmt: skip
    return SubmissionView.model_validate(fields | changes)


def make_rows(count: int, name: str = "") -> list[RankedRow]:
    """Return the first rows of a board."""
    return [
        RankedRow(
            rank=number,
            tied=False,
            row=Row(f"p{number}", name or f"P{number}", "human", verified=True, label=None,
                    scores={"Score": 1000.0 - number}, submissions=1, submission=f"s{number}"),
        )
        for number in range(1, count + 1)
    ]  # fmt: skip


def draw_text(text: str) -> str:
    """Return the picture of a board of one row which says a text wherever it can."""
    head = make_board("coin-run", players=1)
    metrics = [metric.model_copy(update={"label": text}) for metric in head.metrics]
    return draw_board(
        head.model_copy(update={"title": text, "board_title": text, "metrics": metrics}), make_rows(1, text)
    )


def make_story(**changes: object) -> Story | None:
    """Tell of the submission of the fourth of seven rows, which rests on it."""
    head, rows = make_board("coin-run", players=30), make_rows(7)
    return tell_story(head, RowsAround(rows[3], 4, rows), make_view(head, **changes))


def test_picture_has_rows_medals_and_places() -> None:
    """Ground and tint are the board's; medals, the own row and the ticks stand where the layout has them."""
    head, rows = make_board("coin-run", players=4), make_rows(3)
    story = tell_story(head, RowsAround(rows[1], 2, rows), make_view(head, submission="s2"))
    assert story is not None
    image = decode(draw_story(story._replace(before=3)))

    assert image.size == (1200, 630)
    assert find_colours(image, (20, 20), (660, 250)) == [GROUND] * 2
    assert find_colours(image, (709, 251), (709, 328), (709, 405)) == MEDALS
    assert find_colours(image, (664, 328), (900, 250)) == [(0xE1, 0xF0, 0xFF), WHITE]
    assert find_colours(image, (130, 400), (270, 400), (410, 400), (550, 400), (410, 386)) == [
        *((0x34, 0x5F, 0x95), (0x75, 0xAE, 0xF5), WHITE, (0x34, 0x5F, 0x95), WHITE)
    ]


@pytest.mark.parametrize(
    "changes",
    [{"scores": None}, {"scores": {}}, {"late": True}, {"withdrawn": {"at": START, "reason": "r", "by": "player"}}],
)
def test_submission_without_public_score_has_no_story(changes: dict[str, object]) -> None:
    """One that waits, is withdrawn, came late or was not scored has nothing to draw or to say."""
    assert make_story() is not None
    assert make_story(**changes) is None


def test_story_of_a_submission_is_its_place_or_its_score() -> None:
    """A place is shown between neighbours, with the way to the next; without one there is the score alone."""
    moment, other = make_story(), make_story(submission="s0")
    assert moment is not None
    assert other is not None

    page = write_story(moment, moment.head, site="")
    assert (moment.standing, moment.gap) == ("4th of 30", "1.00 behind P3")
    assert [row.rank for row in moment.rows] == [*range(2, 8)]
    assert "<title>P4: 4th of 30 · Board coin-run · Laurel</title>" in page
    assert page.count("<tr>") == ROWS + 1
    assert (other.place, other.value) == (None, "Score 999.00")
    many = moment._replace(head=moment.head.model_copy(update={"total": 20_000}), submission=None)
    drawn = {"4th": moment, "P4 passed 5": moment._replace(before=9), "of 20,000": many, "P4": other}
    for text, story in drawn.items():
        assert f">{text}<" in draw_story(story)
        assert decode(draw_story(story)).size == (1200, 630)


def test_names_that_fonts_lack_are_left_out() -> None:
    """No box stands for a name in other scripts, an emoji or a mark, and its row keeps rank and value."""
    for name in ("علی", "🏆 Ada", f"A{ABSENT}", "Z\u0300\u0301", "한국", "\u202eevil"):
        image = decode(draw_text(name))
        assert is_plain(image, 130, 440, 640, 488), name
        assert is_plain(image, 810, 310, 990, 350), name
        assert not is_plain(image, 1050, 310, 1128, 350), name


def test_faces_are_those_of_the_site() -> None:
    """The same player has the same sign, wherever it is drawn."""
    players = [f"guest-{number:020x}" for number in range(200)]
    program = (
        f"import {{makeSign}} from {json.dumps(str(FRONTEND / 'src/ui/lib/sign.ts'))};"
        f"console.log(JSON.stringify({json.dumps(players)}.map((player) => makeSign(player))))"
    )
    node = [find_program("node"), "--input-type=module", "-e", program]
    drawn = json.loads(subprocess.run(node, capture_output=True, check=True, text=True).stdout)

    hues = (255, 70, 300, 165, 25, 225, 350, 135)
    for sign, each in zip(map(make_sign, players), drawn, strict=True):
        (commands, numbers), others = (
            (re.findall("[A-Z]", path), list(map(float, re.findall(r"-?[\d.]+", path))))
            for path in (sign[0], each["path"])
        )
        assert (commands, *sign[2:]) == (others[0], each["hole"], each["dot"])
        assert numbers == pytest.approx(others[1], abs=0.011), "both round to two decimals, halves in ways of their own"
        assert hues[sign[1]] == each["hue"]


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
    """64 wide letters reach neither the rows nor the value beside them, nor the edge."""
    for letter in ("W", "Ｗ", "%", "ﷺ", "i"):
        image = decode(draw_text(letter * 64))
        assert is_plain(image, 1168, 20, 1200, 630), letter
        assert is_plain(image, 628, 120, 654, 530), letter
        assert is_plain(image, 972, 310, 990, 350), letter


def test_hostile_texts_are_texts() -> None:
    """No name can add an element to the picture."""
    evil = '</text><image href="file:///etc/passwd"/><text>&amp;'
    svg = draw_text(evil)

    assert "<image" not in svg
    assert svg.count("<text") == svg.count("</text>") == 10
    assert svg.startswith("<svg")


def test_pictures_of_boards() -> None:
    """A board's has its first rows, the leader's large; a level's names it; hostile ones are drawn."""
    head, empty = make_board("thirty", players=30), make_board("none", players=0)

    picture = draw_board(head, make_rows(3))
    level = draw_board(head.model_copy(update={"board": "level-1", "board_title": "Level 1"}), [])
    assert [text in picture for text in (">30 players<", ">Board<", ">leads with 999.00<", ">P3<")] == [True] * 4
    assert [text in level for text in (">Board thirty · 30 players<", ">Level 1<")] == [True] * 2
    for each in (empty, make_hostile_board("hostile")):
        assert decode(draw_board(each, [])).size == (1200, 630)


def test_tag_names_what_is_drawn() -> None:
    """The same picture has the same tag, and any change another one."""
    one = draw_board(make_board("thirty", players=30), [])
    other = draw_board(make_board("thirty", players=31), [])

    assert make_etag(one) == make_etag(one) != make_etag(other)
    assert re.fullmatch(r'"[0-9a-f]{32}"', make_etag(one))
