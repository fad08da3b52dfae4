"""Exact match and F1 of each answer, as the official SQuAD 2.0 evaluation gives them.

The built-in `sum` compensates what it loses with floats and not with integers, so each mark has the type that the
official script gives it: 1 and 0 for an answer that should be empty, a float for words that are shared.
"""

from collections.abc import Iterable, Sequence
from itertools import compress, count
from operator import contains, not_
from typing import NamedTuple

from scoring_core.squad_result import Answers
from scoring_core.squad_text import find_voids, strip_articles
from scoring_core.squad_truth import Bag, Questions


class Marks(NamedTuple):
    """Exact match and F1 of each question, in [0, 1], in the order of the questions."""

    exact: list[float]
    f1: list[float]


def mark_answers(answers: Answers, questions: Questions) -> Marks:
    """Mark every answer; a missing one gets 0."""
    marks = Marks(list(questions.marks_of_silence), list(questions.marks_of_silence))
    _mark_closed(answers.texts, questions, marks)
    _mark_open(answers.texts, questions, marks)
    for index in answers.missing:
        marks.exact[index] = marks.f1[index] = 0
    return marks


def silence(marks: Marks, probabilities: Sequence[float], threshold: float, answerable: Sequence[bool]) -> Marks:
    """Take "no answer" for the prediction where its probability is above the threshold."""
    if max(probabilities) <= threshold:
        return marks
    return Marks(
        *(
            [
                float(not has_answer) if probability > threshold else mark
                for mark, probability, has_answer in zip(part, probabilities, answerable, strict=True)
            ]
            for part in marks
        )
    )


def _mark_closed(texts: Sequence[str], questions: Questions, marks: Marks) -> None:
    """Mark what is written where nothing should be."""
    closed_texts = [*compress(texts, questions.is_closed)]
    written = [*filter(None, closed_texts)]
    voids = find_voids(written)
    for index, text in zip(compress(questions.closed_indices, closed_texts), written, strict=True):
        if text not in voids:
            marks.exact[index] = marks.f1[index] = 0


def _mark_open(texts: Sequence[str], questions: Questions, marks: Marks) -> None:
    """Mark what is written where there are golds: first all that equal one, then the others word by word."""
    exact, f1 = marks
    open_texts = [*compress(texts, questions.is_open)]
    places = [*compress(count(), open_texts)]
    indices = [*compress(questions.open_indices, open_texts)]
    lines = strip_articles([*filter(None, open_texts)])
    golds = questions.strip_golds(places)
    hits = [*map(contains, golds, lines)]
    for index in compress(indices, hits):
        exact[index] = 1
        f1[index] = 1.0
    misses = [*map(not_, hits)]
    bags = questions.bag_golds([*compress(places, misses)])
    _mark_words(compress(indices, misses), map(str.split, compress(lines, misses)), bags, marks)


def _mark_words(
    indices: Iterable[int], answers: Iterable[list[str]], golds: Iterable[Sequence[Bag]], marks: Marks
) -> None:
    """Mark answers by their words; each against the best of its golds."""
    for index, words, bags in zip(indices, answers, golds, strict=True):
        best = 0.0
        for gold_words, distinct, repeats in bags:
            if distinct.isdisjoint(words):
                continue
            shared = len(distinct.intersection(words))
            for word, times in repeats:
                again = words.count(word)
                if again > 1:
                    shared += min(times, again) - 1
            precision = shared / len(words)
            recall = shared / len(gold_words)
            f1 = (2 * precision * recall) / (precision + recall)
            best = max(best, f1)
            # White space may have kept an exact match from being seen before.
            if f1 == 1.0 and gold_words == words:
                marks.exact[index] = 1
        marks.f1[index] = best
