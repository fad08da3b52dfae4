"""Markdown of owners and of our guides, as HTML that every page may show."""

import re
from html import unescape
from typing import Final

MAX_HTML_BYTES: Final = 128_000
"""Of a description as HTML: what bounds the elements of a page."""
_MAX_DEPTH: Final = 20
"""Of emphasis in a paragraph, as of blocks: what is deeper loses its tags, for browsers draw trees by recursion."""
_TAG: Final = re.compile(r"<[^>]*>")


def render_markdown(text: str, *, top: int = 3) -> str:
    r"""Return a text as HTML, in time and size linear in its length.

    A tag in the text is text. No tag of the HTML has an attribute, except `<a href="…">` with an http or https URL.

    Args:
        text: CommonMark and tables, without images and without links that are defined elsewhere in the text.
        top: The level of its headings of level 1 and 2, below those of the page, 2 or 3; the others get the next one.

    >>> render_markdown("[Collect](https://example.com) *all* <b>.")
    '<p><a href="https://example.com">Collect</a> <em>all</em> &lt;b&gt;.</p>\n'
    """
    from markdown_it import MarkdownIt  # noqa: PLC0415  # a function that publishes nothing starts without it

    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable("table")
    # A definition that is used often would make a short text endless.
    parser.disable(["image", "reference"])
    parser.validateLink = _is_web_address  # type: ignore[method-assign]
    tokens = parser.parse(text)
    for token in tokens:
        if token.type.startswith("heading"):
            token.tag = f"h{top if token.tag in {'h1', 'h2'} else top + 1}"
        token.attrs, token.info = {}, ""
        for child in token.children or ():
            child.attrs = {name: value for name, value in child.attrs.items() if name == "href"}
            child.hidden = child.level > _MAX_DEPTH
    return str(parser.renderer.render(tokens, parser.options, {}))


def read_text(html: str) -> str:
    r"""Return the text of what `render_markdown` returned.

    >>> read_text("<p>1 &lt; 2, <em>always</em></p>")
    '1 < 2, always'
    """
    return unescape(_TAG.sub("", html))


def _is_web_address(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))
