"""`python -m scoring_core squad_v2 GOLD PREDICTIONS` replaces the official SQuAD 2.0 evaluation script.

Exit codes: 0 scored · 1 internal error · 2 usage · 3 the predictions are wrong · 4 the ground truth is wrong.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from scoring_core.errors import EvaluatorError, InvalidResult, StrictJsonError
from scoring_core.io.strict_json import loads
from scoring_core.scorers.base import Json, ScorerInputs, Scores
from scoring_core.scorers.squad_v2 import SquadParameters
from scoring_core.scorers.squad_v2.scoring import SquadScorer, prepare
from scoring_core.scorers.squad_v2.submission import Predictions, expect_object


def main(arguments: Sequence[str] | None = None) -> int:
    """Score, print, and return the exit code; argparse itself exits with 2."""
    options = _build_parser().parse_args(arguments)
    try:
        scores = _score(options)
        if options.out_file is None:
            sys.stdout.write(json.dumps(scores, indent=2) + "\n")
        else:
            # In one line, as the official script writes a file.
            options.out_file.write_text(json.dumps(scores), encoding="utf-8")
    except (InvalidResult, EvaluatorError) as error:
        sys.stderr.write(f"{error}\n")
        return 3 if isinstance(error, InvalidResult) else 4
    except OSError as error:
        sys.stderr.write(f"{options.out_file or 'standard output'}: {error.strerror}\n")
        return 1
    return 0


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scoring_core", description=__doc__)
    scorers = parser.add_subparsers(required=True, metavar="SCORER")
    squad = scorers.add_parser("squad_v2", help="exact match and F1 of SQuAD 2.0")
    squad.add_argument("gold", type=Path, metavar="GOLD", help="questions and answers in SQuAD 2.0 format")
    squad.add_argument("predictions", type=Path, metavar="PREDICTIONS", help="JSON: {qid: text}")
    squad.add_argument("-n", "--na-probs", type=Path, metavar="FILE", help="JSON: {qid: no-answer probability}")
    squad.add_argument(
        "-t", "--na-prob-thresh", type=_threshold, default=1.0, metavar="T", help='above it: "no answer" (default: 1.0)'
    )
    squad.add_argument("-o", "--out-file", type=Path, metavar="FILE", help="write here (default: standard output)")
    squad.add_argument("--pr", action="store_true", help="also print the areas under precision over recall")
    return parser


def _threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"expected a finite number, found {text!r}")
    return value


def _score(options: argparse.Namespace) -> Scores:
    scorer = _prepare(options.gold, SquadParameters(na_prob_thresh=options.na_prob_thresh))
    result = Predictions(
        predictions=_read_object(options.predictions),
        na_probs=_read_object(options.na_probs) if options.na_probs else None,
        predictions_at=f"{options.predictions}#",
        na_probs_at=f"{options.na_probs}#",
    )
    try:
        scores = scorer.evaluate(result).scores
    except InvalidResult as error:
        raise InvalidResult(f"{error.pointer.removesuffix('#')}: {error.message}") from error
    return {name: score for name, score in scores.items() if options.pr or not name.startswith("pr_")}


def _prepare(gold: Path, parameters: SquadParameters) -> SquadScorer:
    try:
        return prepare(ScorerInputs(parameters, gold.read_bytes()))
    except OSError as error:
        raise EvaluatorError(f"{gold}: {error.strerror}") from error
    except EvaluatorError as error:
        raise EvaluatorError(f"{gold}: {error.message}") from error


def _read_object(path: Path) -> dict[str, Json]:
    try:
        return expect_object(loads(path.read_bytes()), "")
    except OSError as error:
        raise InvalidResult(f"{path}: {error.strerror}") from error
    except (StrictJsonError, InvalidResult) as error:
        raise InvalidResult(f"{path}: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
