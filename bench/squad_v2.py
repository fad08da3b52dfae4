"""Compares scores and speed of Laurel's scorer with the plain official algorithm.

`uv run python bench/squad_v2.py [GOLD PREDICTIONS NA_PROBS] [--runs N]`. Without files it makes a seeded set of the
official size. It fails if a number differs, never because of the time.
"""

import argparse
import json
import random
import re
import statistics
import string
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.squad_v2 import SquadParameters
from scoring_core.scorers.squad_v2.scoring import prepare

QUESTION_COUNT = 11_873
SEED = 2018
NA_PROB_THRESHOLD = 1.0


class Files(NamedTuple):
    """The bytes that both sides score."""

    gold: bytes
    predictions: bytes
    na_probs: bytes

    def join_result(self) -> bytes:
        """Return the predictions and their no-answer probabilities as one result."""
        return b'{"predictions": %b, "na_probs": %b}' % (self.predictions, self.na_probs)


def score_officially(dataset: list[Any], predictions: bytes, na_probs: bytes | None = None) -> dict[str, float]:
    """Score as the official script does, step by step and without shortcuts."""
    texts = json.loads(predictions)
    probabilities = json.loads(na_probs) if na_probs else dict.fromkeys(texts, 0.0)
    has_answer = {qa["id"]: bool(qa["answers"]) for qa in _questions(dataset)}
    raw = _mark(dataset, texts)
    marks = [_apply_threshold(part, probabilities, has_answer) for part in raw]
    scores = _average(marks, "", list(has_answer))
    for prefix, wanted in (("HasAns_", True), ("NoAns_", False)):
        ids = [identifier for identifier, has in has_answer.items() if has is wanted]
        scores |= _average(marks, prefix, ids) if ids else {}
    if na_probs:
        for name, part in zip(("exact", "f1"), raw, strict=True):
            best, threshold = _find_best(texts, part, probabilities, has_answer)
            scores |= {f"best_{name}": best, f"best_{name}_thresh": threshold}
        oracle = {identifier: float(has) for identifier, has in has_answer.items()}
        for name, part in zip(("exact", "f1", "oracle"), (*raw, oracle), strict=True):
            scores[f"pr_{name}_ap"] = _find_area(part, probabilities, has_answer)
    return scores


def _questions(dataset: list[Any]) -> list[Any]:
    return [qa for article in dataset for paragraph in article["paragraphs"] for qa in paragraph["qas"]]


def _normalise(text: str) -> str:
    return _even_out_space(_remove_articles(_remove_punctuation(text.lower())))


def _remove_punctuation(text: str) -> str:
    punctuation = set(string.punctuation)
    return "".join(character for character in text if character not in punctuation)


def _remove_articles(text: str) -> str:
    article = re.compile(r"\b(a|an|the)\b", re.UNICODE)
    return re.sub(article, " ", text)


def _even_out_space(text: str) -> str:
    return " ".join(text.split())


def _words(text: str) -> list[str]:
    return _normalise(text).split() if text else []


def _exact(gold: str, text: str) -> int:
    return int(_normalise(gold) == _normalise(text))


def _f1(gold: str, text: str) -> float:
    gold_words, words = _words(gold), _words(text)
    shared = sum((Counter(gold_words) & Counter(words)).values())
    if not gold_words or not words:
        return int(gold_words == words)
    if not shared:
        return 0
    precision, recall = shared / len(words), shared / len(gold_words)
    return 2 * precision * recall / (precision + recall)


def _mark(dataset: list[Any], texts: dict[str, str]) -> tuple[dict[str, float], dict[str, float]]:
    exact: dict[str, float] = {}
    f1: dict[str, float] = {}
    for qa in _questions(dataset):
        golds = [answer["text"] for answer in qa["answers"] if _normalise(answer["text"])] or [""]
        text = texts[qa["id"]]
        exact[qa["id"]] = max(_exact(gold, text) for gold in golds)
        f1[qa["id"]] = max(_f1(gold, text) for gold in golds)
    return exact, f1


def _apply_threshold(
    part: dict[str, float], probabilities: dict[str, float], has_answer: dict[str, bool]
) -> dict[str, float]:
    return {
        identifier: float(not has_answer[identifier]) if probabilities[identifier] > NA_PROB_THRESHOLD else mark
        for identifier, mark in part.items()
    }


def _average(marks: list[dict[str, float]], prefix: str, ids: list[str]) -> dict[str, float]:
    exact, f1 = (100.0 * sum(part[identifier] for identifier in ids) / len(ids) for part in marks)
    return {f"{prefix}exact": exact, f"{prefix}f1": f1, f"{prefix}total": len(ids)}


def _find_best(
    texts: dict[str, str], part: dict[str, float], probabilities: dict[str, float], has_answer: dict[str, bool]
) -> tuple[float, float]:
    best = score = float(sum(1 for has in has_answer.values() if not has))
    threshold = 0.0
    for identifier in sorted(probabilities, key=lambda key: probabilities[key]):
        if identifier not in part:
            continue
        if has_answer[identifier]:
            score += part[identifier]
        elif texts[identifier]:
            score -= 1
        if score > best:
            best, threshold = score, probabilities[identifier]
    return 100.0 * best / len(part), threshold


def _find_area(part: dict[str, float], probabilities: dict[str, float], has_answer: dict[str, bool]) -> float:
    answerable = sum(1 for has in has_answer.values() if has)
    ids = sorted(probabilities, key=lambda key: probabilities[key])
    found = area = recall_before = 0.0
    for place, identifier in enumerate(ids):
        if has_answer[identifier]:
            found += part[identifier]
        precision, recall = found / float(place + 1), found / float(answerable)
        if place == len(ids) - 1 or probabilities[identifier] != probabilities[ids[place + 1]]:
            area += precision * (recall - recall_before)
            recall_before = recall
    return 100.0 * area


def score_ours(gold: bytes, result: bytes) -> dict[str, float]:
    """Score from the bytes of both files, with nothing prepared."""
    return prepare(ScorerInputs(SquadParameters(), gold))(result)[0].scores


def make_files(seed: int = SEED) -> Files:
    """Make a set with the official size and share of answers, and average predictions."""
    source = random.Random(seed)
    vocabulary = ["".join(source.choices("aeilnorstdué", k=source.randint(2, 9))) for _ in range(4000)]
    vocabulary += ["the", "a", "an", "of", "in", "Ærø", "1066", "well-known", "10:30"] * 40
    qas: list[dict[str, Any]] = []
    predictions: dict[str, str] = {}
    for _ in range(QUESTION_COUNT):
        identifier = f"{source.getrandbits(96):024x}"
        text = " ".join(source.choices(vocabulary, k=source.randint(1, 6)))
        golds = [text, f"the {text}", text][: source.randint(1, 3)] if source.random() < 0.5 else []
        qas.append({"id": identifier, "answers": [{"text": gold, "answer_start": 0} for gold in golds]})
        guesses = (text, f"The {text}.", text.split()[0], " ".join(source.choices(vocabulary, k=3)), "")
        predictions[identifier] = source.choices(guesses, weights=(2, 3, 2, 2, 2) if golds else (0, 0, 1, 1, 8))[0]
    context = " ".join(source.choices(vocabulary, k=120))
    paragraphs = [{"context": context, "qas": qas[start : start + 10]} for start in range(0, len(qas), 10)]
    na_probs = {identifier: round(source.random(), 4) for identifier in predictions}
    document = {"version": "v2.0", "data": [{"title": "Seeded", "paragraphs": paragraphs}]}
    return Files(*(json.dumps(value).encode() for value in (document, predictions, na_probs)))


def find_files(paths: list[Path]) -> tuple[str, Files]:
    """Return the files to score and a name for them."""
    if paths:
        return str(paths[0]), Files(*(path.read_bytes() for path in paths))
    return f"a set made from seed {SEED}", make_files()


def list_differences(files: Files) -> list[str]:
    """Return where the keys, their order or their values differ between both sides."""
    dataset = json.loads(files.gold)["data"]
    differences = []
    for na_probs, result in ((None, files.predictions), (files.na_probs, files.join_result())):
        official, ours = score_officially(dataset, files.predictions, na_probs), score_ours(files.gold, result)
        if list(official) != list(ours):
            differences.append(f"keys: official {list(official)}, ours {list(ours)}")
        differences += [
            f"{key}: official {official[key]!r}, ours {ours.get(key)!r}"
            for key in official
            if official[key] != ours.get(key)
        ]
    return differences


class Pair(NamedTuple):
    """Two calls that are timed in turn."""

    name: str
    official: Callable[[], object]
    ours: Callable[[], object]


def time_pair(pair: Pair, runs: int) -> tuple[float, float]:
    """Return the median seconds of both sides, run in turn."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for call, into, repeats in ((pair.official, seconds[0], 1), (pair.ours, seconds[1], 5)):
            for _ in range(repeats):
                start = time.perf_counter()
                call()
                into.append(time.perf_counter() - start)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def main() -> int:
    """Compare, time, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="GOLD PREDICTIONS NA_PROBS")
    parser.add_argument("--runs", type=int, default=7, help="how often the official side runs (default: 7)")
    arguments = parser.parse_args()
    if len(arguments.files) not in {0, 3}:
        parser.error("expected no files, or gold, predictions and na_probs")
    name, files = find_files(arguments.files)
    differences = list_differences(files)
    print(f"{name}, Python {sys.version.split()[0]}")
    print("parity: every key equal" if not differences else "parity: DIFFERENT\n  " + "\n  ".join(differences))
    dataset = json.loads(files.gold)["data"]
    scorer = prepare(ScorerInputs(SquadParameters(), files.gold))
    with_na_probs = files.join_result()
    pairs = (
        Pair("warm", lambda: score_officially(dataset, files.predictions), lambda: scorer(files.predictions)),
        Pair(
            "warm, with na_probs",
            lambda: score_officially(dataset, files.predictions, files.na_probs),
            lambda: scorer(with_na_probs),
        ),
        Pair(
            "cold",
            lambda: score_officially(json.loads(files.gold)["data"], files.predictions),
            lambda: score_ours(files.gold, files.predictions),
        ),
    )
    print(f"{'median of ' + str(arguments.runs) + ' runs':<22}{'official':>12}{'ours':>12}{'ratio':>9}")
    for pair in pairs:
        official, ours = time_pair(pair, arguments.runs)
        print(f"{pair.name:<22}{official * 1000:>9.1f} ms{ours * 1000:>9.1f} ms{official / ours:>8.1f}×")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
