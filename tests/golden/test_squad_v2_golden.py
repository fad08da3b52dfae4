"""Scorer `squad_v2` against published figures, and against what the official v2.0 evaluation script prints."""

import json

import pytest

from scoring_core.scorers.base import ScorerInputs, Scores
from scoring_core.scorers.squad_v2 import SquadParameters
from scoring_core.scorers.squad_v2.scoring import prepare


def score_silence(*, answerable: int, unanswerable: int, right: int = 0) -> Scores:
    """Score predictions that are all empty, but for the first answerable ones, which are right."""
    answers = [[{"text": "yes"}]] * answerable + [[]] * unanswerable
    qas = [{"id": f"q{number}", "answers": given} for number, given in enumerate(answers)]
    truth = {"data": [{"paragraphs": [{"qas": qas}]}]}
    predictions = {f"q{number}": "yes" if number < right else "" for number in range(len(qas))}
    scorer = prepare(ScorerInputs(SquadParameters(), json.dumps(truth).encode()))
    return scorer(json.dumps(predictions).encode())[0].scores


@pytest.mark.parametrize(
    ("answerable", "unanswerable", "right", "exact", "exact_answers"),
    [(5928, 5945, 1, 50.08001347595385, 0.016869095816464237), (10353, 5303, 0, 33.87199795605519, 0.0)],
    ids=["every prediction empty but one", "every prediction empty"],
)
def test_silence_gives_the_published_figures(
    answerable: int, unanswerable: int, right: int, exact: float, exact_answers: float
) -> None:
    """The outputs of docs/sources.md, "SQuAD 2.0", of 11,873 and 15,656 questions."""
    assert score_silence(answerable=answerable, unanswerable=unanswerable, right=right) == {
        "exact": exact,
        "f1": exact,
        "total": answerable + unanswerable,
        "HasAns_exact": exact_answers,
        "HasAns_f1": exact_answers,
        "HasAns_total": answerable,
        "NoAns_exact": 100.0,
        "NoAns_f1": 100.0,
        "NoAns_total": unanswerable,
    }
