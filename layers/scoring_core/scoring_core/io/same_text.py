"""When two texts are the same: ids, labels, answers, names of videos and files. Source: docs/sources.md, "Texts"."""

from collections.abc import Callable, Collection, Mapping
from unicodedata import combining, normalize

MAX_MARKS = 30
"""In a row: Unicode sorts more of them in quadratic time. Source: UAX 15, section 13.1, Stream-Safe Text Format."""
_CHECKED_LENGTH = 200
_WORDS = {"true", "false"}
_BOOLEANS: Mapping[str, bool] = {"true": True, "false": False, "1": True, "1.0": True, "0": False, "0.0": False}


def text_key(text: str) -> str:
    r"""Return what equal texts have in common: NFC, no white space at the ends.

    A text with more than MAX_MARKS combining marks in a row is compared as it is.

    >>> text_key("cafe\u0301 ") == text_key("caf\u00e9"), text_key("Caf\u00e9") == text_key("caf\u00e9")
    (True, False)
    """
    text = text.strip()
    if text.isascii() or (len(text) > _CHECKED_LENGTH and _has_long_run(text)):
        return text
    return normalize("NFC", text)


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


def _has_long_run(text: str) -> bool:
    run = 0
    for character in text:
        run = run + 1 if combining(character) else 0
        if run > MAX_MARKS:
            return True
    return False
