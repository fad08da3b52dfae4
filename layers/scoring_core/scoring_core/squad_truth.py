"""A file in SQuAD 2.0 format → its questions, laid out so that a result is scored quickly."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from scoring_core.errors import EvaluatorError, StrictJsonError
from scoring_core.evaluation import Json, describe, pointer
from scoring_core.squad_text import find_voids, strip_articles
from scoring_core.strict_json import loads

type Bag = tuple[frozenset[str], int, list[tuple[str, int]]]
"""The words of a gold answer: which they are, how many, and those that are there more than once, how often."""


class Bags(NamedTuple):
    """The golds of one question as bags of words, and every word in them."""

    vocabulary: frozenset[str]
    bags: list[Bag]


class Questions:
    """The questions of a ground truth; every sequence is in the order of the file, one entry for each question.

    Args:
        ids: The ids; of questions with the same id the last one stands, at the place of the first (as official).
        answerable: Whether the raw answers are not empty.
        golds: The raw golds that do not normalise to nothing; [] where only an empty answer is right.

    Attributes:
        unanswerable: The contrary of `answerable`.
        unanswerable_indices: Where `unanswerable` is true.
        open: Whether there are golds.
        closed: The contrary of `open`.
        open_indices: Where `open` is true.
        closed_indices: Where `closed` is true.
        marks_of_silence: What an empty prediction is worth.
    """

    def __init__(self, ids: list[str], answerable: list[bool], golds: list[list[str]]) -> None:
        self.ids = ids
        self.answerable = answerable
        self.golds = golds
        self.unanswerable = [not has_answer for has_answer in answerable]
        self.unanswerable_indices = [index for index, has_answer in enumerate(answerable) if not has_answer]
        self.open = [bool(texts) for texts in golds]
        self.closed = [not texts for texts in golds]
        self.open_indices = [index for index, texts in enumerate(golds) if texts]
        self.closed_indices = [index for index, texts in enumerate(golds) if not texts]
        self.marks_of_silence: list[float] = [0 if texts else 1 for texts in golds]
        self._lines: dict[int, tuple[str, ...]] = {}
        self._bags: dict[int, Bags] = {}

    def normalised_golds(self, indices: Sequence[int]) -> list[tuple[str, ...]]:
        """Give the distinct golds of these questions, normalised; made when first asked for, and kept."""
        known = self._lines
        new = [index for index in indices if index not in known]
        if new:
            raw = [dict.fromkeys(self.golds[index]) for index in new]
            lines = iter([" ".join(line.split()) for line in strip_articles([*chain.from_iterable(raw)])])
            known.update((index, tuple(islice(lines, len(texts)))) for index, texts in zip(new, raw, strict=True))
        return [*map(known.__getitem__, indices)]

    def bags(self, indices: Sequence[int]) -> list[Bags]:
        """Give the golds of these questions as bags of words; made when first asked for, and kept."""
        known = self._bags
        new = [index for index in indices if index not in known]
        if new:
            known.update(zip(new, map(_to_bags, self.normalised_golds(new)), strict=True))
        return [*map(known.__getitem__, indices)]


def read_questions(ground_truth: bytes) -> Questions:
    """Read a file in SQuAD 2.0 format.

    Args:
        ground_truth: `{"data": [{"paragraphs": [{"qas": [{"id", "answers": [{"text"}]}]}]}]}`; other keys are ignored.

    Returns:
        At least one question.

    Raises:
        EvaluatorError: It is no such file, with the JSON pointer of what is wrong, or it has no questions.
    """
    try:
        document = loads(ground_truth)
    except StrictJsonError as error:
        raise EvaluatorError(f"ground truth: {error}") from error
    questions = [qa for _, qas in _lists_of_questions(document) for qa in qas]
    if not questions:
        raise EvaluatorError("ground truth: no questions: expected at least one in /data/*/paragraphs/*/qas")
    golds = _read_golds(questions)
    if golds is None:
        raise _describe_fault(document)
    voids = find_voids([*chain.from_iterable(golds.values())])
    return Questions(
        ids=list(golds),
        answerable=[*map(bool, golds.values())],
        golds=[[text for text in texts if text not in voids] for texts in golds.values()]
        if voids
        else [*golds.values()],
    )


def _read_golds(questions: Sequence[Any]) -> dict[str, list[str]] | None:
    """Give the texts of the answers by id; None where a question is not well formed.

    Checked by using what is expected: asking for each type takes as long as all the rest.
    """
    try:
        answers = {qa["id"]: qa["answers"] for qa in questions}
        golds = {identifier: [answer["text"] for answer in given] for identifier, given in answers.items()}
        # Only strings can be joined.
        "".join(golds)
        "".join(chain.from_iterable(golds.values()))
    except (KeyError, TypeError):
        return None
    return golds if set(map(type, answers.values())) == {list} else None


def _describe_fault(document: Json) -> EvaluatorError:
    places = (
        (*steps, number)
        for steps, qas in _lists_of_questions(document)
        for number, qa in enumerate(qas)
        if _read_golds([qa]) is None
    )
    expected = 'a question {"id": string, "answers": [{"text": string}, …]}'
    return EvaluatorError(f"ground truth: {pointer(*next(places))}: expected {expected}")


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


def _to_bags(lines: Sequence[str]) -> Bags:
    bags = [_to_bag(line.split()) for line in dict.fromkeys(lines)]
    vocabulary = frozenset().union(*(bag[0] for bag in bags)) if len(bags) > 1 else bags[0][0]
    return Bags(vocabulary, bags)


def _to_bag(words: list[str]) -> Bag:
    distinct = frozenset(words)
    if len(distinct) == len(words):
        return distinct, len(words), []
    counts = Counter(words)
    return distinct, len(words), [(word, times) for word, times in counts.items() if times > 1]
