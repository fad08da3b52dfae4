"""Markdown becomes HTML of a few tags, whatever it says."""

import re
from html.parser import HTMLParser

import pytest

from scoring_core.benchmarks.definition import MAX_DESCRIPTION_BYTES
from scoring_core.io.markdown import read_text, render_markdown
from tests.fuzz.shapes import MARKDOWN
from tests.harness.stack import ROOT

TAGS = {
    *("a", "blockquote", "br", "code", "em", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong"),
    *("table", "tbody", "td", "th", "thead", "tr", "ul"),
}
EMPTY = {"br", "hr"}
FEW = {"brackets that close", "quotes in lists", "a table of wide rows", "marks that cross", "tags"}
SHAPES = [shape if shape in FEW else pytest.param(shape, marks=pytest.mark.long) for shape in MARKDOWN]
"""One of each kind, and all others, each of which takes a second."""
EVERYTHING = """# One
## Two
### Three

text *em* __strong__ `a < b` <https://x.y> and\\
a break

* a
* b

  1. c

> quote

```json
{}
```

| a | b |
|:--|--:|
| `x\\|y` | 2 | 3 |
| 1 |

---
"""


class Tree(HTMLParser):
    """What HTML consists of, held to what a page may show.

    Attributes:
        tags: Every tag.
        links: Where links lead.
        depth: The most tags that were open at once.
        text: The text.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.depth, self.text, self._open = 0, "", list[str]()
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Allow links one attribute and others none."""
        assert [name for name, _ in attrs] == (["href"] if tag == "a" else []), (tag, attrs)
        self.links += [str(value) for _, value in attrs]
        self.tags.add(tag)
        if tag not in EMPTY:
            self._open.append(tag)
            self.depth = max(self.depth, len(self._open))

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened last."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.text += data


def test_every_kind_of_text_has_its_tag() -> None:
    """The renderer makes just the tags that the site draws."""
    tree = Tree(render_markdown(EVERYTHING))
    site = (ROOT / "frontend/src/ui/lib/html.ts").read_text().partition("const EMPTY")[0]

    assert tree.tags == TAGS
    assert set(re.findall(r'"(\w+)"', site.partition("new Set")[2])) == TAGS | {"h2"}


@pytest.mark.parametrize(("top", "tags"), [(2, ["h2", "h2", "h3", "h3"]), (3, ["h3", "h3", "h4", "h4"])])
def test_headings_are_below_those_of_the_page(top: int, tags: list[str]) -> None:
    """Two levels remain of six."""
    html = render_markdown("# a\n## b\n### c\n###### d", top=top)

    assert re.findall(r"<(h\d)>", html) == tags


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[a](https://example.com/x) <http://example.com>", ["https://example.com/x", "http://example.com"]),
        ('[a](https://example.com "title") [b](<HTTPS://example.com>)', ["https://example.com", "HTTPS://example.com"]),
        (
            '[a](https://example.com/"onclick="alert(1)) <https://example.com/">',
            ["https://example.com/%22onclick=%22alert(1)", "https://example.com/%22"],
        ),
        ("![a picture](https://example.com/pixel.png)", ["https://example.com/pixel.png"]),
        ("[a](javascript:alert(1)) [a](JAVASCRIPT:alert(1)) [a](java\nscript:x) [a](java&#115;cript:x)", []),
        ("[a](&#x6A;avascript:x) [a](\x01javascript:x) [a](%6Aavascript:x) <javascript:x> <vbscript:x>", []),
        ("[a](data:text/html,x) [a](data:image/png;base64,AA) <data:text/html,x> [a](file:///etc/passwd)", []),
        ("[a](//example.com) [a](/b/x) [a](#x) [a](x.md) [a](https:x) <ada@example.com>", []),
        ("[a]: https://example.com\n\n[a] [a][a] [a][]", []),
    ],
)
def test_links_lead_to_the_web_and_pictures_are_links(text: str, links: list[str]) -> None:
    """Only http and https; no page loads anything of another host, and nothing is defined elsewhere."""
    assert Tree(render_markdown(text)).links == links


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "<!-- <p> --><?php ?><![CDATA[<b>]]><!DOCTYPE x>",
        "</p></div><style>*{display:none}</style>",
        '<a href="javascript:alert(1)">a</a>',
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "```html\n<script>alert(1)</script>\n```",
        "| <script> |\n|-|\n| <img src=x> |",
        '[<img src=x>](https://example.com "<script>")',
        '``` "><script>\nx\n```',
    ],
)
def test_tags_are_text(text: str) -> None:
    """No HTML of a text becomes HTML of the page."""
    tree = Tree(render_markdown(text))

    assert tree.tags <= TAGS


@pytest.mark.parametrize("shape", SHAPES)
def test_hostile_text_stays_small_and_flat(shape: str) -> None:
    """The longest description of any shape has few levels; whether it is short enough, the limits of owners say."""
    text = MARKDOWN[shape](MAX_DESCRIPTION_BYTES)

    html = render_markdown(text)

    tree = Tree(html)
    assert tree.tags <= TAGS
    assert tree.depth <= 42
    assert len(html) <= 16 * MAX_DESCRIPTION_BYTES


def test_text_of_html_is_what_a_reader_reads() -> None:
    """Tags go and characters return, for programs that take no HTML."""
    html = render_markdown(EVERYTHING)

    assert read_text(html) == Tree(html).text
