"""A file in SQuAD 2.0 format → its questions, laid out so that a result is scored quickly."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from operator import not_
from typing import Any

from scoring_core.errors import EvaluatorError, StrictJsonError
from scoring_core.io.strict_json import loads
from scoring_core.scorers.base import Json, describe, pointer
from scoring_core.scorers.squad_v2.text import find_empty_after_normalisation, strip_articles

type Bag = tuple[list[str], frozenset[str], list[tuple[str, int]]]
"""The words of a gold answer: in their order, without repeats, and those that are repeated with how often."""


class Questions:
    """The questions of a ground truth; every sequence is in the order of the file.

    Of questions with the same id the last one stands, at the place of the first, as officially.

    Args:
        golds: The raw golds by id.

    Attributes:
        ids: The ids.
        answerable: Whether there are raw golds.
        unanswerable: The contrary of `answerable`.
        is_open: Whether there are golds that do not normalise to nothing; where not, only an empty answer is right.
        marks_of_silence: What an empty prediction is worth.
    """

    def __init__(self, golds: dict[str, list[str]]) -> None:
        self.ids = list(golds)
        self.answerable = [*map(bool, golds.values())]
        self.unanswerable = [*map(not_, self.answerable)]
        self._golds = [*golds.values()]
        self.is_open = _find_open(self._golds)
        self.marks_of_silence: list[float] = [*map(int, map(not_, self.is_open))]
        # What is made of the golds of an open question when it is first asked for.
        self._lines: list[tuple[str, ...]] = [()] * len(golds)
        self._bags: list[list[Bag]] = [[]] * len(golds)

    def strip_golds(self, indices: Sequence[int]) -> list[tuple[str, ...]]:
        """Give the golds of open questions, normalised but for white space."""
        lines = [*map(self._lines.__getitem__, indices)]
        if all(lines):
            return lines
        new = [index for index in indices if not self._lines[index]]
        raw = [set(self._golds[index]) for index in new]
        lines_of_all = iter(strip_articles([*chain.from_iterable(raw)]))
        for index, texts in zip(new, raw, strict=True):
            # A gold that normalises to nothing is none.
            self._lines[index] = tuple(filter(str.strip, islice(lines_of_all, len(texts))))
        return [*map(self._lines.__getitem__, indices)]

    def bag_golds(self, indices: Sequence[int]) -> list[list[Bag]]:
        """Give the golds of open questions as bags of words."""
        bags = [*map(self._bags.__getitem__, indices)]
        if all(bags):
            return bags
        new = [index for index in indices if not self._bags[index]]
        for index, lines in zip(new, self.strip_golds(new), strict=True):
            self._bags[index] = [_to_bag(line.split()) for line in lines]
        return [*map(self._bags.__getitem__, indices)]


def read_questions(ground_truth: bytes) -> Questions:
    """Read a file in SQuAD 2.0 format.

    Args:
        ground_truth: `{"data": [{"paragraphs": [{"qas": [{"id", "answers": [{"text"}]}]}]}]}`; other keys are ignored.

    Returns:
        At least one question.

    Raises:
        EvaluatorError: It is no such file, with the JSON pointer of what is wrong, or it has no questions.
    """
    return Questions(_read_quickly(ground_truth) or _read_carefully(ground_truth))


def _read_quickly(ground_truth: bytes) -> dict[str, list[str]] | None:
    """Give the texts of the answers by id, or None where anything is unusual: the careful reader tells what.

    Questions and answers become tuples while the file is read, which no JSON value does by itself.
    """
    try:
        document = json.loads(ground_truth, object_hook=_slim)
        articles = document["data"]
        questions = [qa for article in articles for paragraph in article["paragraphs"] for qa in paragraph["qas"]]
        golds = dict(questions)
        # Only strings can be joined.
        "".join(golds)
        "".join(chain.from_iterable(golds.values()))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return golds if set(map(type, questions)) == {tuple} else None


def _slim(members: dict[str, Any]) -> dict[str, Any] | tuple[Any, ...]:
    """Give (text,) for an answer and (id, texts) for a question."""
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
    """Give the texts of the answers by id, or say what is wrong and where."""
    try:
        document = loads(ground_truth)
    except StrictJsonError as error:
        raise EvaluatorError(f"ground truth: {error}") from error
    golds: dict[str, list[str]] = {}
    for steps, qas in _lists_of_questions(document):
        for number, qa in enumerate(qas):
            identifier, texts = _read_question(qa, (*steps, number))
            golds[identifier] = texts
    if not golds:
        raise EvaluatorError("ground truth: no questions: expected at least one in /data/*/paragraphs/*/qas")
    return golds


def _read_question(qa: Json, steps: tuple[str | int, ...]) -> tuple[str, list[str]]:
    match qa:
        case {"id": str(identifier), "answers": list(answers)}:
            texts = [answer.get("text") for answer in answers if isinstance(answer, dict)]
            strings = [text for text in texts if isinstance(text, str)]
            if len(strings) == len(answers):
                return identifier, strings
    expected = 'a question {"id": string, "answers": [{"text": string}, …]}'
    raise EvaluatorError(f"ground truth: {pointer(*steps)}: expected {expected}")


def _lists_of_questions(document: Json) -> Iterator[tuple[tuple[str | int, ...], list[Json]]]:
    for article_number, article in enumerate(_list_in(document, ("data",))):
        where = ("data", article_number, "paragraphs")
        for paragraph_number, paragraph in enumerate(_list_in(article, where)):
            steps = (*where, paragraph_number, "qas")
            yield steps, _list_in(paragraph, steps)


def _list_in(parent: Json, steps: tuple[str | int, ...]) -> list[Json]:
    """Give the array that the last step leads to."""
    if not isinstance(parent, dict):
        at = pointer(*steps[:-1]) or "the top"
        raise EvaluatorError(f"ground truth: {at}: expected an object, found {describe(parent)}")
    value = parent.get(str(steps[-1]), ...)
    if not isinstance(value, list):
        found = "nothing" if value is ... else describe(value)
        raise EvaluatorError(f"ground truth: {pointer(*steps)}: expected an array, found {found}")
    return value


def _find_open(golds: Sequence[Sequence[str]]) -> list[bool]:
    """Tell of each question whether it has a gold that does not normalise to nothing; mostly the first is one."""
    voids = find_empty_after_normalisation([texts[0] for texts in golds if texts])
    if not voids:
        return [*map(bool, golds)]
    return [
        bool(texts) and (texts[0] not in voids or len(find_empty_after_normalisation(texts)) < len(set(texts)))
        for texts in golds
    ]


def _to_bag(words: list[str]) -> Bag:
    distinct = frozenset(words)
    if len(distinct) == len(words):
        return words, distinct, []
    return words, distinct, [(word, times) for word, times in Counter(words).items() if times > 1]
