"""Texts: when two are the same, harmful characters, lists of names, unknown names, and texts that are too long."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")
"""Format characters that several scripts and many emoji need; they are harmless."""
_LAYOUT = "\n\t"
_FLAG = re.compile("(\U0001f3f4[\U000e0061-\U000e007a]{5}\U000e007f)")
"""The flags of parts of a country, such as Wales: their letters are format characters."""
MAX_MARKS = 30
"""In a row: Unicode sorts more of them in quadratic time. Source: UAX 15, section 13.1, Stream-Safe Text Format."""
_CHECKED_LENGTH = 200
_WORDS = {"true", "false"}
_BOOLEANS: Mapping[str, bool] = {"true": True, "false": False, "1": True, "1.0": True, "0": False, "0.0": False}


def text_key(text: str) -> str:
    r"""Return what equal texts have in common: NFC, no white space at the ends.

    Source: docs/sources.md, "Texts".
    A text with more than MAX_MARKS combining marks in a row is compared as it is.

    >>> text_key("cafe\u0301 ") == text_key("caf\u00e9"), text_key("Caf\u00e9") == text_key("caf\u00e9")
    (True, False)
    """
    text = text.strip()
    if text.isascii() or (len(text) > _CHECKED_LENGTH and _has_long_run(text)):
        return text
    return unicodedata.normalize("NFC", text)


def is_absent(value: object) -> bool:
    """Return whether a value names nothing: null, or a text of white space alone.

    >>> is_absent(None), is_absent(" "), is_absent(0)
    (True, True, False)
    """
    return value is None or (isinstance(value, str) and not value.strip())


def fold_labels(labels: Collection[str]) -> Callable[[str], str]:
    """Return what gives each spelling of a label the same text.

    That is `text_key`; if the labels are two booleans, also the label of what spells one. JSON, Python, R and Excel
    write a boolean as `true`, `True`, `TRUE` or 1. Labels are booleans if all are such words, or if they are 0 and 1: a
    `1` alone may be the first of many classes.

    >>> [*map(fold_labels(["True", "False"]), ["TRUE", "false ", "1", "0.0", "yes"])]
    ['True', 'False', 'True', 'False', 'yes']
    >>> fold_labels(["0", "1"])("TRUE"), fold_labels(["1", "2"])("TRUE"), fold_labels(["True", "maybe"])("true")
    ('1', 'TRUE', 'true')
    """
    keys = sorted({text_key(label) for label in labels})
    if keys not in (["0", "1"], ["0.0", "1.0"]) and not {*map(str.lower, keys)} <= _WORDS:
        return text_key
    spelt = {True: "true", False: "false"} | {_BOOLEANS[key.lower()]: key for key in reversed(keys)}

    def fold(label: str) -> str:
        key = text_key(label)
        boolean = _BOOLEANS.get(key.lower())
        return key if boolean is None else spelt[boolean]

    return fold


def is_harmful(character: str) -> bool:
    r"""Return whether a character is a control, line break, bidi mark or unassigned.

    >>> [is_harmful(character) for character in "a\u00e9 \u200d\n\x1b\u202e\u2028"]
    [False, False, False, False, True, True, True, True]
    """
    return unicodedata.category(character) in _HARMFUL and character not in _JOINERS


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


def suggest_nearest(name: str, names: Sequence[str]) -> str:
    """Return the name that was probably meant, or all of them.

    >>> suggest_nearest("COIN", ["Coins", "Time"]), suggest_nearest("x", ["Coins", "Time"])
    ("did you mean 'Coins'?", 'known are Coins, Time')
    """
    from difflib import get_close_matches  # noqa: PLC0415  # only a wrong name needs it

    folded = {each.casefold(): each for each in names}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    return f"did you mean {folded[near[0]]!r}?" if near else f"known are {', '.join(names)}"


def _has_long_run(text: str) -> bool:
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MAX_MARKS:
            return True
    return False
