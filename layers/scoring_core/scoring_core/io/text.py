"""Texts for people: harmful characters, lists of names, and texts that are too long."""

import re
import unicodedata
from collections.abc import Iterable

_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")
"""Format characters that several scripts and many emoji need; they are harmless."""
_LAYOUT = "\n\t"
_FLAG = re.compile("(\U0001f3f4[\U000e0061-\U000e007a]{5}\U000e007f)")
"""The flags of parts of a country, such as Wales: their letters are format characters."""
_FENCE = re.compile("^ {0,3}(?:```|~~~)", re.MULTILINE)


def is_harmful(character: str) -> bool:
    r"""Return whether a character is a control, line break, bidi mark or unassigned.

    >>> [is_harmful(character) for character in "a\u00e9 \u200d\n\x1b\u202e\u2028"]
    [False, False, False, False, True, True, True, True]
    """
    return unicodedata.category(character) in _HARMFUL and character not in _JOINERS


def find_harmful(text: str) -> str | None:
    """Return the first harmful character of a text of one line, if there is one."""
    return next(filter(is_harmful, text), None)


def mask_harmful(text: str) -> str:
    r"""Return a text of one line with each harmful character replaced.

    >>> mask_harmful("Coin\u202eRun")
    'Coin\ufffdRun'
    """
    return "".join(
        part if index % 2 else "".join("\ufffd" if is_harmful(character) else character for character in part)
        for index, part in enumerate(_FLAG.split(text))
    )


def show_harmless(text: str) -> str:
    r"""Return a text with harmful characters escaped, but not line breaks and tabs.

    >>> show_harmless("red \x1b[31m, turned \u202e, zero \0")
    'red \\x1b[31m, turned \\u202e, zero \\x00'
    """
    return "".join(
        ascii(character)[1:-1] if is_harmful(character) and character not in _LAYOUT else character
        for character in text
    )


def shorten(text: str, length: int) -> str:
    """Return a text, cut to `length` characters with an ellipsis if it is longer.

    >>> shorten("Coins", 5), shorten("Coins", 4)
    ('Coins', 'Coi…')
    """
    return text if len(text) <= length else f"{text[: length - 1]}…"


def list_some(names: Iterable[str], *, length: int = 10) -> str:
    """Return names as a message lists them: the first ten, and the count of the rest.

    >>> list_some("abc"), list_some("abcd", length=2)
    ('a, b, c', 'a, b and 2 more')
    """
    every = list(names)
    more = len(every) - length
    return ", ".join(every[:length]) + (f" and {more} more" if more > 0 else "")


def cut_markdown(text: str, *, max_bytes: int, note: str) -> str:
    """Return a text; if it is too long, its beginning and a note.

    Args:
        text: Markdown. It is cut between paragraphs, or else between lines, if the second half has such a place, and
            before a block of code that would stay open.
        max_bytes: How much of it is kept, in UTF-8.
        note: One paragraph.
    """
    content = text.encode()
    if len(content) <= max_bytes:
        return text
    kept = content[:max_bytes].decode(errors="ignore")
    end = next((end for gap in ("\n\n", "\n") if (end := kept.rfind(gap, len(kept) // 2)) >= 0), len(kept))
    kept = kept[:end]
    fences = [fence.start() for fence in _FENCE.finditer(kept)]
    if len(fences) % 2:
        kept = kept[: fences[-1]]
    return f"{kept.rstrip()}\n\n{note}".lstrip()
