"""Exact match and F1 of each answer, as the official SQuAD 2.0 evaluation gives them.

The built-in `sum` compensates what it loses with floats and not with integers, so each mark has the type that the
official script gives it: 1 and 0 for an answer that should be empty, a float for words that are shared.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import compress, count
from operator import contains, not_
from typing import NamedTuple

from scoring_core.scorers.squad_v2.ground_truth import Bag, Questions
from scoring_core.scorers.squad_v2.submission import Answers
from scoring_core.scorers.squad_v2.text import find_empty_after_normalisation, strip_articles

_MANY_WORDS = 100
"""Up to here going through an answer again for each gold is faster than counting its words."""


class AnswerScores(NamedTuple):
    """Exact match and F1 of each question, in [0, 1], in the order of the questions."""

    exact: list[float]
    f1: list[float]


def score_answers(answers: Answers, questions: Questions) -> AnswerScores:
    """Mark every answer; a missing one gets 0."""
    marks = AnswerScores(list(questions.marks_of_silence), list(questions.marks_of_silence))
    texts = answers.texts
    written = [*compress(count(), texts)]
    is_open = [*map(questions.is_open.__getitem__, written)]
    _mark_closed([*compress(written, map(not_, is_open))], texts, marks)
    _mark_open([*compress(written, is_open)], texts, questions, marks)
    for index in answers.missing:
        marks.exact[index] = marks.f1[index] = 0
    return marks


def apply_no_answer_threshold(
    marks: AnswerScores, probabilities: Sequence[float], threshold: float, answerable: Sequence[bool]
) -> AnswerScores:
    """Take "no answer" for the prediction where its probability is above the threshold."""
    if max(probabilities) <= threshold:
        return marks
    return AnswerScores(
        *(
            [
                float(not has_answer) if probability > threshold else mark
                for mark, probability, has_answer in zip(part, probabilities, answerable, strict=True)
            ]
            for part in marks
        )
    )


def _mark_closed(indices: Sequence[int], texts: Sequence[str], marks: AnswerScores) -> None:
    """Mark what is written where nothing should be."""
    voids = find_empty_after_normalisation([*map(texts.__getitem__, indices)])
    for index in indices:
        if texts[index] not in voids:
            marks.exact[index] = marks.f1[index] = 0


def _mark_open(indices: Sequence[int], texts: Sequence[str], questions: Questions, marks: AnswerScores) -> None:
    """Mark what is written where there are golds: first all that equal one, then the others word by word."""
    exact, f1 = marks
    lines = strip_articles([*map(texts.__getitem__, indices)])
    hits = [*map(contains, questions.strip_golds(indices), lines)]
    for index in compress(indices, hits):
        exact[index] = 1
        f1[index] = 1.0
    misses = [*map(not_, hits)]
    missed = [*compress(indices, misses)]
    _mark_words(missed, map(str.split, compress(lines, misses)), questions.bag_golds(missed), marks)


def _mark_words(
    indices: Iterable[int], answers: Iterable[list[str]], golds: Iterable[Sequence[Bag]], marks: AnswerScores
) -> None:
    """Mark answers by their words; each against the best of its golds."""
    for index, words, bags in zip(indices, answers, golds, strict=True):
        best = 0.0
        # An answer of many words is gone through once, not for each gold and each word that a gold repeats.
        found, count_word = (words, words.count) if len(words) <= _MANY_WORDS else _count_words(words)
        for gold_words, distinct, repeats in bags:
            if distinct.isdisjoint(found):
                continue
            shared = len(distinct.intersection(found))
            for word, times in repeats:
                again = count_word(word)
                if again > 1:
                    shared += min(times, again) - 1
            precision = shared / len(words)
            recall = shared / len(gold_words)
            f1 = (2 * precision * recall) / (precision + recall)
            if f1 > best:  # noqa: PLR1730  # max() takes three times as long
                best = f1
            # White space may have kept an exact match from being seen before.
            if f1 == 1.0 and gold_words == words:
                marks.exact[index] = 1
        marks.f1[index] = best


def _count_words(words: Sequence[str]) -> tuple[Collection[str], Callable[[str], int]]:
    """Return the distinct words, and what tells how often a word is there."""
    counts = Counter(words)
    return frozenset(counts), counts.__getitem__
