"""Scorer `squad_v2` against published figures, and against what the official v2.0 evaluation script prints."""

import json

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


def test_one_right_answer_and_silence_give_the_published_figures() -> None:
    """The first output of docs/sources.md, "SQuAD 2.0": 11,873 questions, every prediction empty but one."""
    scores = score_silence(answerable=5928, unanswerable=5945, right=1)

    assert scores == {
        "exact": 50.08001347595385,
        "f1": 50.08001347595385,
        "total": 11873,
        "HasAns_exact": 0.016869095816464237,
        "HasAns_f1": 0.016869095816464237,
        "HasAns_total": 5928,
        "NoAns_exact": 100.0,
        "NoAns_f1": 100.0,
        "NoAns_total": 5945,
    }


def test_silence_gives_the_published_figures() -> None:
    """The second output of docs/sources.md, "SQuAD 2.0": 15,656 questions, every prediction empty."""
    scores = score_silence(answerable=10353, unanswerable=5303)

    assert scores == {
        "exact": 33.87199795605519,
        "f1": 33.87199795605519,
        "total": 15656,
        "HasAns_exact": 0.0,
        "HasAns_f1": 0.0,
        "HasAns_total": 10353,
        "NoAns_exact": 100.0,
        "NoAns_f1": 100.0,
        "NoAns_total": 5303,
    }
