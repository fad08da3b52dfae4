"""The badge: who leads and with what, whatever the names are made of."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.boards.pictures.badges import draw_badge
from scoring_core.io.text import is_harmful
from tests.unit.heads import make_head_of

SVG = "{http://www.w3.org/2000/svg}"


def test_badge_has_title_leader_and_best() -> None:
    """The image shows title, leader and best."""
    badge = draw_badge(make_head_of(["Ada", "Bob"], score=12.345, decimals=2, unit="s"))

    image = ET.fromstring(badge)  # noqa: S314  # our own image
    assert image.findtext(f"{SVG}title") == "\u2068Coin Run\u2069: \u2068Ada\u2069 · 12.35\u202fs"
    assert ["".join(text.itertext()) for text in image.iter(f"{SVG}text")] == ["Coin Run", "Ada · 12.35\u202fs"]


def test_leading_guest_is_marked_as_guest() -> None:
    """A guest's name has the mark of a guest, in the image and its title; a cut name has it too."""
    for name, shown in (("Heron", "Heron (guest)"), ("a" * 64, "a" * 23 + "… (guest)"), ("guest", "guest")):
        badge = draw_badge(make_head_of([name], score=7, verified=False))

        image = ET.fromstring(badge)  # noqa: S314  # our own image
        assert image.findtext(f"{SVG}title") == f"\u2068Coin Run\u2069: \u2068{shown}\u2069 · 7"
        assert [item.text for item in image.iter(f"{SVG}tspan")] == ["Coin Run", shown]


def test_shared_lead_names_one_and_counts_the_others() -> None:
    """Of those who share the lead one is named, the others are counted."""
    badge = draw_badge(make_head_of(["Ada", "Bob", "Cy"], ranks=(1, 1, 3), score=7))

    assert "Ada +1</tspan> · 7<" in badge


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"&\'><svg onload="x">', "]]>", "\x00\x1b\ufffe"])
def test_markup_in_names_is_escaped(name: str) -> None:
    """A name is text and nothing else, in the image too."""
    badge = draw_badge(make_head_of([name], title=name))

    tags = {item.tag.removeprefix(SVG) for item in ET.fromstring(badge).iter()}  # noqa: S314  # our own image
    assert tags == {"svg", "title", "clipPath", "rect", "g", "text", "tspan"}


@pytest.mark.parametrize(
    "text", ["\u202emoc.live", "two\r\nlines", "\x1b[31mred", "\u2069out", "a\u2028b", "\ue000\ufeff"]
)
def test_harmful_text_is_neutralised(text: str) -> None:
    """Nothing of a title, a leader or a unit reaches beyond its own place, whatever was published once."""
    badge = draw_badge(make_head_of([text], title=text, unit=text))

    image = ET.fromstring(badge)  # noqa: S314  # our own image
    shown = "".join(image.itertext()).translate({0x2068: None, 0x2069: None})
    assert not any(map(is_harmful, shown.strip("\n")))
    isolated = [item.text for item in image.iter(f"{SVG}tspan") if item.get("unicode-bidi") == "isolate"]
    assert len(isolated) == 2


@given(name=st.text(min_size=1, max_size=64), title=st.text(min_size=1, max_size=80))
def test_image_is_well_formed_for_any_name(name: str, title: str) -> None:
    """Whatever the names, the image is well-formed and as wide as its two halves."""
    image = ET.fromstring(draw_badge(make_head_of([name], title=title)))  # noqa: S314  # our own image

    widths = [int(item.attrib["width"]) for item in image.iter(f"{SVG}rect")]
    assert int(image.attrib["width"]) == widths[0] == widths[1] + widths[2] < 900
