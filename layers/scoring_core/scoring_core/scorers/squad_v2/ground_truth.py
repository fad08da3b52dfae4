"""A file in SQuAD 2.0 format → its questions, prepared for quick scoring; and the normalisation of answers.

Source of the normalisation: docs/sources.md, "SQuAD 2.0", `normalize_answer`.
"""

import json
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from scoring_core.errors import EvaluatorError, StrictJsonError
from scoring_core.io.strict_json import loads
from scoring_core.scorers.base import Json, describe, pointer

type Bag = tuple[list[str], frozenset[str], list[tuple[str, int]]]
"""The words of a gold answer: in their order, without repeats, and the repeated ones with their counts."""

_SEPARATOR = "\x1e"
"""White space that hardly any text contains: many texts joined by it are normalised as one."""
_PUNCTUATION = string.punctuation.encode()
_ARTICLE = re.compile(r"\b(?:an?|the)\b")

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
        gold_lines: The gold answers, normalised except for white space, without those that normalise to nothing; where
            none is left only an empty answer is right.
        gold_bags: The same as bags of words.
    """

    def __init__(self, gold_answers: dict[str, list[str]]) -> None:
        self.ids = list(gold_answers)
        self.answerable = [bool(texts) for texts in gold_answers.values()]
        distinct = [set(texts) for texts in gold_answers.values()]
        lines = iter(strip_articles([*chain.from_iterable(distinct)]))
        self.gold_lines = [tuple(filter(str.strip, islice(lines, len(texts)))) for texts in distinct]
        self.gold_bags: list[list[Bag]] = [[_to_bag(line.split()) for line in own] for own in self.gold_lines]


def read_questions(ground_truth: bytes) -> Questions:
    """Read a file in SQuAD 2.0 format.

    Args:
        ground_truth: `{"data": [{"paragraphs": [{"qas": [{"id", "answers": [{"text"}]}]}]}]}`; other keys are ignored.

    Returns:
        At least one question.

    Raises:
        EvaluatorError: It is no such file (with a JSON pointer), or it has no questions.
    """
    try:
        document = _read_json(ground_truth)
    except StrictJsonError as error:
        raise EvaluatorError(f"ground truth: {error}") from error
    gold_answers: dict[str, list[str]] = {}
    for steps, qas in _list_questions(document):
        for number, qa in enumerate(qas):
            identifier, texts = _read_question(qa, (*steps, number))
            gold_answers[identifier] = texts
    if not gold_answers:
        raise EvaluatorError("ground truth: no questions: expected at least one in /data/*/paragraphs/*/qas")
    return Questions(gold_answers)


def _read_json(ground_truth: bytes) -> Json:
    """Return a JSON value. Raises StrictJsonError.

    Its texts may hold what is no Unicode: only a fault is left to the strict reader, which names it.
    """
    try:
        value: Json = json.loads(ground_truth)
    except (ValueError, RecursionError):
        return loads(ground_truth)
    return value


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


def strip_articles(texts: Sequence[str]) -> list[str]:
    """Normalise many answers except for white space: the words are `line.split()`.

    >>> [line.split() for line in strip_articles(["The Answer, of course!", "an a the", "the–end"])]
    [['answer', 'of', 'course'], [], ['–end']]
    """
    if not texts:
        return []
    # The separator has no case, and the Greek final sigma ends at it: each text is lower-cased as it would be alone.
    joined = _SEPARATOR.join(texts).lower().encode("utf-8", "surrogatepass")
    plain = joined.translate(None, _PUNCTUATION).decode("utf-8", "surrogatepass")
    lines = _ARTICLE.sub(" ", plain).split(_SEPARATOR)
    return lines if len(lines) == len(texts) else strip_articles([text.replace(_SEPARATOR, " ") for text in texts])
