"""Answers → normalised answers, as in the official SQuAD evaluation, many at once.

Lower-case, delete ASCII punctuation, replace the words a, an and the by a space, split on Unicode white space.

Source: docs/sources.md, "SQuAD 2.0", `normalize_answer`.
"""

import re
import string
from collections.abc import Sequence
from itertools import compress, count
from operator import not_

# White space that hardly any text contains: many texts joined by it are normalised as one.
_SEPARATOR = "\x1e"
_PUNCTUATION = string.punctuation.encode()
# Lower case, and one kind of white space beside the separator.
_PLAIN = bytes.maketrans(
    string.ascii_uppercase.encode() + b"\t\n\v\f\r\x1c\x1d\x1f", string.ascii_lowercase.encode() + b" " * 8
)
# The only ASCII characters that, without punctuation, neither form words nor separate them.
_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x1C), 0x7F])
_ARTICLE = re.compile(r"\b(?:an?|the)\b")
# The same where words, spaces and separators are all that is left, which is faster: inside a text an article goes
# with the space before it; then at most one is left at the beginning, and goes with the space behind it.
_INNER_ARTICLE = re.compile(rb" (?:an?|the)(?=[ \x1e])")
_LEADING_ARTICLE = re.compile(rb"\x1e(?:an?|the)(?: |(?=\x1e))")
# No character outside this set becomes punctuation, white space or a letter of an article when it is lower-cased.
_VOID = frozenset(string.punctuation + "aAnNtThHeE").union(filter(str.isspace, map(chr, range(0x3001))))


def normalise(text: str) -> str:
    """Normalise one answer.

    >>> normalise("The  Answer, of course!"), normalise("A the")
    ('answer of course', '')
    """
    return " ".join(strip_articles([text])[0].split())


def strip_articles(texts: Sequence[str]) -> list[str]:
    """Normalise many answers in all but white space: the words of each are `line.split()`.

    Args:
        texts: Any strings.

    Returns:
        One line for each text, often but not always normalised in white space too.

    >>> [line.split() for line in strip_articles(["The Answer, of course!", "an a the", "the–end"])]
    [['answer', 'of', 'course'], [], ['–end']]
    """
    if not texts:
        return []
    joined = _SEPARATOR.join(("", *texts, ""))
    plain = joined.encode("utf-8", "surrogatepass").translate(_PLAIN, _PUNCTUATION)
    stripped = _LEADING_ARTICLE.sub(b"\x1e", _INNER_ARTICLE.sub(b"", plain))
    lines = stripped.decode("utf-8", "surrogatepass").split(_SEPARATOR)[1:-1]
    if len(lines) != len(texts):
        return strip_articles([text.replace(_SEPARATOR, " ") for text in texts])
    others: set[int] = set()
    if not joined.isascii():
        others.update(compress(count(), map(not_, map(str.isascii, texts))))
    if len(plain.translate(None, _CONTROLS)) < len(plain):
        others.update(compress(count(), map(not_, map(str.isprintable, texts))))
    if others:
        for index, line in zip(others, _strip_any([texts[index] for index in others]), strict=True):
            lines[index] = line
    return lines


def find_empty_after_normalisation(texts: Sequence[str]) -> set[str]:
    """Give those texts that normalise to nothing.

    >>> find_voids(["The, a!", "then", "Main"])
    {'The, a!'}
    """
    suspects = set(compress(texts, map(_VOID.issuperset, texts)))
    return {text for text in suspects if not normalise(text)}


def _strip_any(texts: Sequence[str]) -> list[str]:
    # The separator neither has case nor is passed over where case depends on neighbours (the Greek final sigma),
    # so each text is lower-cased as it would be alone.
    joined = _SEPARATOR.join(texts).lower().encode("utf-8", "surrogatepass")
    lowered = joined.translate(None, _PUNCTUATION).decode("utf-8", "surrogatepass")
    return _ARTICLE.sub(" ", lowered).split(_SEPARATOR)
