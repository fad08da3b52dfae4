"""Scorer `squad_v2` against a plain reference of its own: every score equal, to the last bit."""

import json
import string
from collections import Counter
from typing import Any, NamedTuple

from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring_core.scorers.base import ScorerInputs, Scores
from scoring_core.scorers.squad_v2 import SquadParameters
from scoring_core.scorers.squad_v2.scoring import prepare

ARTICLES = ("a", "an", "the")
# White space of every kind, what lower-cases oddly, marks that are no letters, articles next to all of them.
PIECES = [
    *" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000",
    *"\x00\x07\x1b\x7f\u200b\u200d\u0301\u00ad",
    *"aAnNtThHeExX019_.,-'\"/\\$",
    *"İıßẞΣσςΑάéÉ–“”€Åж中ａＡ¹²ª😀",
    *("the", "The", "AN", "a", "an", "theé", "éa", "–a–", "a·b", "ΟΔΟΣ", "ΟΔΟΣ a", "the the", "in the river", "x.y"),
]

texts = st.lists(st.one_of(st.sampled_from(PIECES), st.characters(exclude_categories=["Cs"])), max_size=8).map("".join)
probabilities = st.one_of(
    st.sampled_from([0, 1, 0.0, -0.0, 0.5, 1.5, -2]), st.floats(allow_nan=False, allow_infinity=False)
)


class Case(NamedTuple):
    """Golds and prediction of each question, and its no-answer probability."""

    golds: list[list[str]]
    predictions: list[str]
    na_probs: list[float]
    shuffled: list[int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw questions; a prediction is often one of the golds, or empty, so that there is something to agree on."""
    golds = draw(st.lists(st.lists(texts, max_size=3), min_size=1, max_size=8))
    predictions = [draw(st.one_of(texts, st.sampled_from([*given_golds, ""]))) for given_golds in golds]
    size = len(golds)
    na_probs = draw(st.lists(probabilities, min_size=size, max_size=size))
    return Case(golds, predictions, na_probs, draw(st.permutations(range(size))))


def reference_words(text: str) -> list[str]:
    """Normalise character by character and word by word, without a regular expression."""
    kept = [character for character in text.lower() if character not in string.punctuation]
    runs: list[str] = []
    for character in kept:
        is_word = character.isalnum() or character == "_"
        if runs and is_word and is_word_run(runs[-1]):
            runs[-1] += character
        else:
            runs.append(character)
    return "".join(" " if run in ARTICLES else run for run in runs).split()


def is_word_run(run: str) -> bool:
    """Return whether a run is made of letters and digits."""
    return run[-1].isalnum() or run[-1] == "_"


def reference_f1(gold: list[str], words: list[str]) -> float:
    """Return F1 of two bags of words."""
    if not gold or not words:
        return int(gold == words)
    shared = (Counter(gold) & Counter(words)).total()
    if not shared:
        return 0
    precision, recall = shared / len(words), shared / len(gold)
    return (2 * precision * recall) / (precision + recall)


def reference_scores(case: Case, *, threshold: float, with_na_probs: bool) -> Scores:
    """Score the plain way, question by question."""
    has = [bool(golds) for golds in case.golds]
    exact: list[float] = []
    f1: list[float] = []
    for golds, prediction in zip(case.golds, case.predictions, strict=True):
        words = reference_words(prediction)
        gold_words = [reference_words(gold) for gold in golds if reference_words(gold)] or [[]]
        exact.append(max(int(gold == words) for gold in gold_words))
        f1.append(max(reference_f1(gold, words) for gold in gold_words))
    na_probs = case.na_probs if with_na_probs else [0.0] * len(has)
    groups = {
        "": range(len(has)),
        "HasAns_": [index for index, answerable in enumerate(has) if answerable],
        "NoAns_": [index for index, answerable in enumerate(has) if not answerable],
    }
    scores: Scores = {}
    for prefix, group in groups.items():
        if group:
            for name, marks in (("exact", exact), ("f1", f1)):
                counted = [float(not has[i]) if na_probs[i] > threshold else marks[i] for i in group]
                scores[prefix + name] = 100.0 * sum(counted) / len(group)
            scores[prefix + "total"] = len(group)
    if with_na_probs:
        scores |= reference_trace(case, has, exact, f1)
    return scores


def reference_trace(case: Case, has: list[bool], exact: list[float], f1: list[float]) -> Scores:
    """Return what needs probabilities; the result lists them in shuffled order."""
    order = sorted(case.shuffled, key=lambda index: case.na_probs[index])
    scores: Scores = {}
    for name, marks in (("exact", exact), ("f1", f1)):
        score: float = has.count(False)
        best, threshold = score, 0.0
        for index in order:
            score += marks[index] if has[index] else -1 if case.predictions[index] else 0
            if score > best:
                best, threshold = score, case.na_probs[index]
        scores[f"best_{name}"] = 100.0 * best / len(has)
        scores[f"best_{name}_thresh"] = threshold
    for name, marks in (("exact", exact), ("f1", f1), ("oracle", [float(answerable) for answerable in has])):
        if any(has):
            scores[f"pr_{name}_ap"] = 100.0 * reference_area(case, order, has, marks)
    return scores


def reference_area(case: Case, order: list[int], has: list[bool], marks: list[float]) -> float:
    """Return the area under precision over recall."""
    total = area = before = 0.0
    for place, index in enumerate(order):
        total += marks[index] if has[index] else 0
        is_cut = place + 1 == len(order) or case.na_probs[index] != case.na_probs[order[place + 1]]
        if is_cut:
            area += total / (place + 1) * (total / sum(has) - before)
            before = total / sum(has)
    return area


def make_truth(golds: list[list[str]]) -> bytes:
    """Write the questions in SQuAD format."""
    qas = [{"id": f"q{i}", "answers": [{"text": text} for text in texts]} for i, texts in enumerate(golds)]
    return json.dumps({"data": [{"paragraphs": [{"qas": qas}]}]}).encode()


def make_result(case: Case, *, with_na_probs: bool) -> bytes:
    """Write the result with its members in shuffled order, and one that belongs to no question."""
    predictions = {f"q{index}": case.predictions[index] for index in case.shuffled} | {"unknown": "x"}
    if not with_na_probs:
        return json.dumps(predictions).encode()
    na_probs: dict[str, Any] = {"unknown": 0.25} | {f"q{index}": case.na_probs[index] for index in case.shuffled}
    return json.dumps({"predictions": predictions, "na_probs": na_probs}, ensure_ascii=False).encode()


@settings(deadline=None)
@given(case=cases(), threshold=st.sampled_from([1.0, 0.0, 0.5, -1.0]))
@example(case=Case([["ΟΔΟΣ"], ["a"]], ["ΟΔΟΣ\n", "Σ"], [0.5, 0.5], [1, 0]), threshold=1.0)
@example(case=Case([["İ"], [], ["the"]], ["i\u0307", "a", ""], [0, 0.0, -0.0], [2, 0, 1]), threshold=0.0)
@example(case=Case([["a b b", "b"], ["c"]], ["b b b", "c\x1cthe"], [1.5, -2], [0, 1]), threshold=1.0)
@example(case=Case([["x", "the"], ["b a\x00c"]], ["x  the", "b \x00c"], [0.0, 1.0], [0, 1]), threshold=0.5)
@example(case=Case([["y x", "x y", "the"], ["x x y"]], ["x  y", "y x x"], [0.0, 1.0], [0, 1]), threshold=1.0)
def test_every_score_equals_the_plain_reference(case: Case, threshold: float) -> None:
    """With and without no-answer probabilities, in any order of the result, every score is the same to the last bit."""
    scorer = prepare(ScorerInputs(SquadParameters(na_prob_thresh=threshold), make_truth(case.golds)))

    without = scorer(make_result(case, with_na_probs=False))[0].scores
    with_na_probs = scorer(make_result(case, with_na_probs=True))[0].scores

    assert list(without.items()) == list(reference_scores(case, threshold=threshold, with_na_probs=False).items())
    assert list(with_na_probs.items()) == list(reference_scores(case, threshold=threshold, with_na_probs=True).items())


@settings(deadline=None)
@given(st.lists(st.tuples(st.lists(texts, min_size=1, max_size=3), texts), min_size=20, max_size=60))
def test_many_answers_at_once_score_as_each_alone(questions: list[tuple[list[str], str]]) -> None:
    """Marking in bulk, first or again, gives each answer the F1 that it has alone."""
    golds = [given_golds for given_golds, _ in questions]
    predictions = [prediction for _, prediction in questions]
    together = prepare(ScorerInputs(SquadParameters(), make_truth(golds)))
    result = json.dumps({f"q{index}": text for index, text in enumerate(predictions)}).encode()
    alone = [
        prepare(ScorerInputs(SquadParameters(), make_truth([given_golds])))(json.dumps({"q0": prediction}).encode())[
            0
        ].scores
        for given_golds, prediction in questions
    ]

    first, again = together(result)[0].scores, together(result)[0].scores

    assert first == again
    assert first["exact"] == 100.0 * sum(scores["exact"] == 100.0 for scores in alone) / len(alone)


few_words = st.lists(st.sampled_from(["x", "y", "z", "the", "w"]), min_size=90, max_size=110).map(" ".join)


@settings(deadline=None)
@given(st.lists(few_words | st.just("x y y"), min_size=1, max_size=3), few_words)
@example(["x " * 101, "y x"], "x " * 101)
@example(["x x y"], "x " * 101)
def test_answer_of_many_words_scores_as_the_plain_reference(golds: list[str], answer: str) -> None:
    """An answer whose words are counted gets the same score, to the last bit."""
    case = Case([golds], [answer], [0.0], [0])

    scores = prepare(ScorerInputs(SquadParameters(), make_truth([golds])))(make_result(case, with_na_probs=False))[
        0
    ].scores

    assert scores == reference_scores(case, threshold=1.0, with_na_probs=False)
