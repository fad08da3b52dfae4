"""A file in SQuAD 2.0 format → its questions, prepared for quick scoring; and the normalisation of answers.

Source of the normalisation: docs/sources.md, "SQuAD 2.0", `normalize_answer`.
"""

import json
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from scoring_core.errors import EvaluatorError, StrictJsonError
from scoring_core.io.strict_json import loads
from scoring_core.scorers.base import Json, describe, pointer

type Bag = tuple[list[str], frozenset[str], list[tuple[str, int]]]
"""The words of a gold answer: in their order, without repeats, and the repeated ones with their counts."""

# White space that hardly any text contains: many texts joined by it are normalised as one.
_SEPARATOR = "\x1e"
_PUNCTUATION = string.punctuation.encode()
# To lower case, and to one kind of white space beside the separator.
_PLAIN = bytes.maketrans(
    string.ascii_uppercase.encode() + b"\t\n\v\f\r\x1c\x1d\x1f", string.ascii_lowercase.encode() + b" " * 8
)
# The only ASCII characters that, without punctuation, neither form words nor separate them.
_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x1C), 0x7F])
_ARTICLE = re.compile(r"\b(?:an?|the)\b")
# Faster, if only words, spaces and separators are left: inside a text an article is deleted with the space before it;
# then at most one is left at the beginning, and is deleted with the space behind it.
_INNER_ARTICLE = re.compile(rb" (?:an?|the)(?=[ \x1e])")
_LEADING_ARTICLE = re.compile(rb"\x1e(?:an?|the)(?: |(?=\x1e))")
# No character outside this set becomes punctuation, white space or a letter of an article when it is lower-cased.
_MAY_VANISH = frozenset(string.punctuation + "aAnNtThHeE").union(filter(str.isspace, map(chr, range(0x3001))))


_COLUMNS = '; of Hugging Face\'s columns, {"text": […], "answer_start": […]}, make one object for each text'
_ROWS = "; rows of Hugging Face's squad_v2 go into data/*/paragraphs/*/qas, as in the official dev-v2.0.json"


class Questions:
    """The questions of a ground truth; every sequence is in the order of the file.

    Of questions with the same id the last one counts, in the place of the first, as in the official script.

    Args:
        gold_answers: The raw gold answers by id.

    Attributes:
        ids: The ids.
        answerable: True for questions with raw gold answers.
        expects_text: True for questions with a gold answer that does not normalise to nothing; for all others only an
            empty answer is right.
        empty_scores: The score of an empty prediction, 1 or 0.
    """

    def __init__(self, gold_answers: dict[str, list[str]]) -> None:
        self.ids = list(gold_answers)
        self._gold_answers = list(gold_answers.values())
        self.answerable = [bool(texts) for texts in self._gold_answers]
        self.expects_text = _find_expected_texts(self._gold_answers)
        self.empty_scores: list[float] = [0 if expected else 1 for expected in self.expects_text]
        # Filled for a question when it is first needed.
        self._lines: list[tuple[str, ...]] = [()] * len(self.ids)
        self._bags: list[list[Bag]] = [[]] * len(self.ids)

    def strip_gold_answers(self, indices: Sequence[int]) -> list[tuple[str, ...]]:
        """Return the gold answers of these questions, normalised except for white space."""
        new = [index for index in indices if not self._lines[index]]
        texts = [set(self._gold_answers[index]) for index in new]
        lines = iter(strip_articles([*chain.from_iterable(texts)]))
        for index, own in zip(new, texts, strict=True):
            # A gold answer that normalises to nothing does not count.
            self._lines[index] = tuple(filter(str.strip, islice(lines, len(own))))
        return [self._lines[index] for index in indices]

    def bag_gold_answers(self, indices: Sequence[int]) -> list[list[Bag]]:
        """Return the gold answers of these questions as bags of words."""
        new = [index for index in indices if not self._bags[index]]
        for index, lines in zip(new, self.strip_gold_answers(new), strict=True):
            self._bags[index] = [_to_bag(line.split()) for line in lines]
        return [self._bags[index] for index in indices]


def read_questions(ground_truth: bytes) -> Questions:
    """Read a file in SQuAD 2.0 format.

    Args:
        ground_truth: `{"data": [{"paragraphs": [{"qas": [{"id", "answers": [{"text"}]}]}]}]}`; other keys are ignored.

    Returns:
        At least one question.

    Raises:
        EvaluatorError: It is no such file (with a JSON pointer), or it has no questions.
    """
    return Questions(_read_quickly(ground_truth) or _read_carefully(ground_truth))


def _read_quickly(ground_truth: bytes) -> dict[str, list[str]] | None:
    """Return the texts of the answers by id; None if anything is unusual.

    Questions and answers become tuples while the file is read; no other JSON value becomes one.
    """
    try:
        document = json.loads(ground_truth, object_hook=_slim)
        articles = document["data"]
        questions = [qa for article in articles for paragraph in article["paragraphs"] for qa in paragraph["qas"]]
        gold_answers = dict(questions)
        # Only strings can be joined.
        "".join(gold_answers)
        "".join(chain.from_iterable(gold_answers.values()))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return gold_answers if set(map(type, questions)) == {tuple} else None


def _slim(members: dict[str, Any]) -> dict[str, Any] | tuple[Any, ...]:
    """Return (text,) for an answer and (id, texts) for a question."""
    if "text" in members:
        return (members["text"],)
    if "answers" in members:
        answers = members["answers"]
        if answers == []:
            return members["id"], answers
        if type(answers) is list and set(map(type, answers)) == {tuple}:
            return members["id"], [text for (text,) in answers]
    return members


def _read_carefully(ground_truth: bytes) -> dict[str, list[str]]:
    try:
        document = loads(ground_truth)
    except StrictJsonError as error:
        raise EvaluatorError(f"ground truth: {error}") from error
    gold_answers: dict[str, list[str]] = {}
    for steps, qas in _list_questions(document):
        for number, qa in enumerate(qas):
            identifier, texts = _read_question(qa, (*steps, number))
            gold_answers[identifier] = texts
    if not gold_answers:
        raise EvaluatorError("ground truth: no questions: expected at least one in /data/*/paragraphs/*/qas")
    return gold_answers


def _read_question(qa: Json, steps: tuple[str | int, ...]) -> tuple[str, list[str]]:
    match qa:
        case {"id": str(identifier), "answers": list(answers)}:
            texts = [answer.get("text") for answer in answers if isinstance(answer, dict)]
            strings = [text for text in texts if isinstance(text, str)]
            if len(strings) == len(answers):
                return identifier, strings
    expected = 'a question {"id": string, "answers": [{"text": string}, …]}'
    is_columns = isinstance(qa, dict) and isinstance(qa.get("answers"), dict)
    raise EvaluatorError(f"ground truth: {pointer(*steps)}: expected {expected}{_COLUMNS if is_columns else ''}")


def _list_questions(document: Json) -> Iterator[tuple[tuple[str | int, ...], list[Json]]]:
    for article_number, article in enumerate(_list_in(document, ("data",))):
        article_steps = ("data", article_number, "paragraphs")
        for paragraph_number, paragraph in enumerate(_list_in(article, article_steps)):
            steps = (*article_steps, paragraph_number, "qas")
            yield steps, _list_in(paragraph, steps)


def _list_in(parent: Json, steps: tuple[str | int, ...]) -> list[Json]:
    """Return the array that the last step leads to."""
    if not isinstance(parent, dict):
        at = pointer(*steps[:-1]) or "the top"
        rows = parent[:1] if isinstance(parent, list) else []
        hint = _ROWS if any(isinstance(row, dict) and "answers" in row for row in rows) else ""
        raise EvaluatorError(f"ground truth: {at}: expected an object, found {describe(parent)}{hint}")
    value = parent.get(str(steps[-1]), ...)
    if not isinstance(value, list):
        shown = "nothing" if value is ... else describe(value)
        hint = _ROWS if "answers" in parent else ""
        raise EvaluatorError(f"ground truth: {pointer(*steps)}: expected an array, found {shown}{hint}")
    return value


def _find_expected_texts(gold_answers: Sequence[Sequence[str]]) -> list[bool]:
    empty = find_empty_after_normalisation([*chain.from_iterable(gold_answers)])
    return [not empty.issuperset(texts) for texts in gold_answers]


def _to_bag(words: list[str]) -> Bag:
    distinct = frozenset(words)
    if len(distinct) == len(words):
        return words, distinct, []
    return words, distinct, [(word, times) for word, times in Counter(words).items() if times > 1]


def normalise(text: str) -> str:
    """Normalise one answer.

    Lower-case, delete ASCII punctuation, replace the words a, an and the by a space, split on Unicode white space.

    >>> normalise("The  Answer, of course!"), normalise("A the")
    ('answer of course', '')
    """
    return " ".join(strip_articles([text])[0].split())


def find_empty_after_normalisation(texts: Sequence[str]) -> set[str]:
    """Return those texts that normalise to nothing.

    >>> find_empty_after_normalisation(["The, a!", "then", "Main"])
    {'The, a!'}
    """
    return {text for text in filter(_MAY_VANISH.issuperset, texts) if not normalise(text)}


def strip_articles(texts: Sequence[str]) -> list[str]:
    """Normalise many answers except for white space: the words are `line.split()`.

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
        others.update(index for index, text in enumerate(texts) if not text.isascii())
    if len(plain.translate(None, _CONTROLS)) < len(plain):
        others.update(index for index, text in enumerate(texts) if not text.isprintable())
    if others:
        for index, line in zip(others, _strip_any([texts[index] for index in others]), strict=True):
            lines[index] = line
    return lines


def _strip_any(texts: Sequence[str]) -> list[str]:
    # The separator has no case, and the Greek final sigma ends at it: each text is lower-cased as it would be alone.
    joined = _SEPARATOR.join(texts).lower().encode("utf-8", "surrogatepass")
    lowered = joined.translate(None, _PUNCTUATION).decode("utf-8", "surrogatepass")
    return _ARTICLE.sub(" ", lowered).split(_SEPARATOR)
