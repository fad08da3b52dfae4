"""Scorer `squad_v2` against published figures, and against what the official v2.0 evaluation script prints."""

import json

from scoring_core.scorers.base import ScorerInputs, Scores
from scoring_core.scorers.squad_v2 import SquadParameters
from scoring_core.scorers.squad_v2.scoring import prepare
from tests.harness.real_data import HALF, needs_real_data


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


@needs_real_data
def test_half_the_dev_set_scores_as_officially() -> None:
    """Every key of 6,078 real questions with no-answer probabilities equals the official output, in its order."""
    scorer = prepare(ScorerInputs(SquadParameters(), HALF.read_bytes()))
    predictions = json.loads(HALF.with_suffix(".predictions.json").read_bytes())
    na_probs = json.loads(HALF.with_suffix(".na-probs.json").read_bytes())
    official = json.loads(HALF.with_suffix(".official-pr.json").read_bytes())

    result = json.dumps({"predictions": predictions, "na_probs": na_probs}).encode()
    scores = scorer(result)[0].scores

    assert list(scores.items()) == list(official.items())


@needs_real_data
def test_half_the_dev_set_without_probabilities_keeps_the_first_nine_scores() -> None:
    """Without no-answer probabilities the scores are the official ones up to NoAns_total."""
    scorer = prepare(ScorerInputs(SquadParameters(), HALF.read_bytes()))
    official = json.loads(HALF.with_suffix(".official.json").read_bytes())

    scores = scorer(HALF.with_suffix(".predictions.json").read_bytes())[0].scores

    assert list(scores.items()) == list(official.items())[:9]
