"""Answers → normalised answers, as in the official SQuAD evaluation, many at once.

Lower-case, delete ASCII punctuation, replace the words a, an and the by a space, split on Unicode white space.

Source: the official SQuAD 2.0 evaluation script, `normalize_answer`.
"""

import re
import string
from collections.abc import Sequence
from itertools import compress, count
from operator import not_

_PUNCTUATION = string.punctuation.encode()
_LOWER = bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())
# The only ASCII characters that, without punctuation, neither form words nor separate them.
_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x1C), 0x7F])
_ARTICLE = re.compile(r"\b(?:an?|the)\b")
# Where ASCII words and white space are all that is left, an article can go with the space behind it.
_ARTICLE_AND_SPACE = re.compile(rb"\b(?:an?|the)\b ?")
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
        texts: Any strings that UTF-8 can encode.

    Returns:
        One line for each text, often but not always normalised in white space too.

    >>> [line.split() for line in strip_articles(["The Answer, of course!", "an a the", "the–end"])]
    [['answer', 'of', 'course'], [], ['–end']]
    """
    if not texts:
        return []
    joined = "\n".join(texts)
    if joined.count("\n") >= len(texts):
        texts = [text.replace("\n", " ") for text in texts]
        joined = "\n".join(texts)
    lowered = joined.encode().translate(_LOWER, _PUNCTUATION)
    lines = _ARTICLE_AND_SPACE.sub(b"", lowered).decode().split("\n")
    others: set[int] = set()
    if not joined.isascii():
        others.update(compress(count(), map(not_, map(str.isascii, texts))))
    if len(lowered.translate(None, _CONTROLS)) < len(lowered):
        others.update(compress(count(), map(not_, map(str.isprintable, texts))))
    if others:
        for index, line in zip(others, _strip_any([texts[index] for index in others]), strict=True):
            lines[index] = line
    return lines


def find_voids(texts: Sequence[str]) -> set[str]:
    """Give those texts that normalise to nothing.

    >>> find_voids(["The, a!", "then", "Main"])
    {'The, a!'}
    """
    suspects = set(compress(texts, map(_VOID.issuperset, texts)))
    return {text for text in suspects if not normalise(text)}


def _strip_any(texts: Sequence[str]) -> list[str]:
    # A line break neither has case nor is passed over where case depends on neighbours (the Greek final sigma),
    # so each line is lower-cased as it would be alone.
    lowered = "\n".join(texts).lower().encode().translate(None, _PUNCTUATION).decode()
    return _ARTICLE.sub(" ", lowered).split("\n")
