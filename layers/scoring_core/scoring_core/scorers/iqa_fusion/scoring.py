"""Scorer `iqa_fusion`: tool measurements and a model's belief fused into one quality, compared with opinion scores.

Source: docs/sources.md, "IQA fusion"; multiple-choice questions are marked beside it.
"""

import math
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, ScorerSpec, Scores
from scoring_core.scorers.iqa_fusion.correlation import measure_agreement, measure_rmse
from scoring_core.scorers.iqa_fusion.ground_truth import Truth, read_truth
from scoring_core.scorers.iqa_fusion.submission import Item, Level, QueryType, classify_query, read_items

SCORE_NAMES = (
    "SRCC",
    "PLCC",
    "KRCC",
    "RMSE",
    "PLCC_fitted",
    "RMSE_fitted",
    "MCQ_accuracy",
    "n_scored",
    "n_mcq",
)

_LOG_PROB_OF_MISSING_LEVEL = -10.0
_LISTED_IDS = 10
_SHOWN_UNKNOWN = 100
_NO_LETTER = "none"
# White space is taken once and never given back: `\s*\(?\s*` would try each way to share it, which is quadratic.
_LETTER = re.compile(r"\s*+(?:\(\s*+)?([A-Za-z])\s*+(?:$|[).:])")


class MissingItems(StrEnum):
    """What becomes of ids of the ground truth that a result lacks."""

    ERROR = "error"
    """The result is invalid."""
    IGNORE = "ignore"
    """They count nowhere. A player then chooses what counts, and one item alone betrays its opinion score."""


class Parameters(BaseModel):
    """What `parameters:` may say.

    Attributes:
        eta: How sharply the mean of the tools weighs the levels, 0 (not at all) to 1,000,000.
        missing: What becomes of ids of the ground truth that a result lacks.
        confusion_minimum: How often a letter must be given for its row of the confusion table to be shown. A letter
            given once would show which letter is right there; with 1, or a small set, the table tells the truth.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    eta: Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)] = 1.0
    missing: MissingItems = MissingItems.ERROR
    confusion_minimum: Annotated[int, Field(strict=True, ge=1)] = 5


def fuse(tool_scores: Sequence[float], log_probs: Mapping[Level, float], *, eta: float = 1.0) -> float:
    """Fuse what tools measured with what a model believes into one quality.

    The quality is the mean level under weights `alpha_c * p_c`, where p is the softmax of the log-probabilities and
    `alpha_c` is proportional to `exp(-eta * (mean(tool_scores) - c)**2)`: one softmax of the sum, so that nothing
    underflows.

    Args:
        tool_scores: Each in [1, 5]; none: every level weighs the same.
        log_probs: Level → log-probability, finite, up to a common constant; a missing level has -10, so none at all is
            a uniform belief.
        eta: How sharply the tools weigh, at least 0.

    Returns:
        The quality, in [1, 5], the higher the better; it never falls when the mean of the tools rises.

    Source: docs/sources.md, "IQA fusion"; dividing by the sum of the weights keeps it on the scale of the levels.

    >>> from scoring_core.scorers.iqa_fusion.submission import spread_level
    >>> fuse([2.5, 2.7], spread_level(Level.FAIR))
    2.9205253914281433
    """
    beliefs = [log_probs.get(level, _LOG_PROB_OF_MISSING_LEVEL) for level in Level]
    # The constant goes first: beside a log-probability of 1e300 the tools would vanish.
    logits = [belief - max(beliefs) for belief in beliefs]
    if tool_scores:
        measured = statistics.fmean(tool_scores)
        logits = [logit - eta * (measured - level) ** 2 for logit, level in zip(logits, Level, strict=True)]
    weights = [math.exp(logit - max(logits)) for logit in logits]
    quality = math.fsum(level * weight for level, weight in zip(Level, weights, strict=True)) / math.fsum(weights)
    return min(5.0, max(1.0, quality))


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one item comes to: a quality for scoring, a letter for a multiple-choice question, else a text."""

    query_type: QueryType
    final_answer: str | float | None
    quality_score: float | None
    quality_reasoning: str | None

    def to_json(self) -> dict[str, Json]:
        return {
            "query_type": self.query_type.value,
            "final_answer": self.final_answer,
            "quality_score": self.quality_score,
            "quality_reasoning": self.quality_reasoning,
        }


@dataclass(frozen=True, slots=True)
class IqaFusion:
    """The prepared scorer; everything that it says of the ground truth is a sum over many items."""

    parameters: Parameters
    truth: Truth

    def __call__(self, result: bytes, /, *, part: str | None = None) -> tuple[Evaluation]:  # noqa: ARG002  # no parts
        """Score one result.

        Returns:
            One Evaluation. Scores: see `SCORE_NAMES`; what cannot be computed is absent. Detail: `items`, id →
            `{query_type, final_answer, quality_score, quality_reasoning}`, of ids that the ground truth lacks the first
            100; `unknown` and `missing` (counts of ids);
            and, with questions, `confusion` (letter given → right letter → count) and `confusion_withheld` (how many
            answers it leaves out, see `Parameters.confusion_minimum`).

        Raises:
            InvalidResult: The result breaks its form, or lacks ids and `missing` is error.
        """
        items = read_items(result)
        missing = self._check_missing(items)
        unknown = [id_ for id_ in items if id_ not in self.truth]
        left_out = set(unknown[_SHOWN_UNKNOWN:])
        answers = {item.id: self._answer(item) for item in items.values() if item.id not in left_out}
        detail: dict[str, Json] = {
            "items": {id_: answer.to_json() for id_, answer in answers.items()},
            "unknown": len(unknown),
            "missing": missing,
        }
        scores = self._score(answers)
        if scores["n_mcq"]:
            detail |= self._tabulate_confusion(answers)
        return (Evaluation({name: scores[name] for name in SCORE_NAMES if name in scores}, detail),)

    def _check_missing(self, items: Mapping[str, Item]) -> int:
        missing = [id_ for id_ in self.truth if id_ not in items]
        if missing and self.parameters.missing is MissingItems.ERROR:
            listed = ", ".join(repr(id_) for id_ in missing[:_LISTED_IDS])
            more = ", …" if len(missing) > _LISTED_IDS else ""
            raise InvalidResult(
                f"expected an item for each of the {len(self.truth)} ids, {len(missing)} are missing: {listed}{more}",
                "/items",
            )
        return len(missing)

    def _answer(self, item: Item) -> _Answer:
        query_type = self.truth.query_type(item.id) or classify_query(item.query)
        match query_type:
            case QueryType.SCORING:
                quality = fuse(item.tool_scores, item.log_probs, eta=self.parameters.eta)
                return _Answer(query_type, quality, quality, item.quality_reasoning)
            case QueryType.MCQ:
                return _Answer(query_type, _find_letter(item.final_answer), None, item.quality_reasoning)
            case QueryType.EXPLANATION:
                return _Answer(query_type, item.final_answer, None, item.quality_reasoning)

    def _score(self, answers: Mapping[str, _Answer]) -> Scores:
        scored = [id_ for id_ in self.truth.mos if id_ in answers]
        quality = [quality for id_ in scored if (quality := answers[id_].quality_score) is not None]
        mos = [self.truth.mos[id_] for id_ in scored]
        asked = [id_ for id_ in self.truth.letters if id_ in answers]
        scores: Scores = {"n_scored": len(scored), "n_mcq": len(asked)} | measure_agreement(quality=quality, mos=mos)
        if scored and self.truth.is_on_level_scale:
            scores["RMSE"] = measure_rmse(quality=quality, mos=mos)
        if asked:
            right = sum(answers[id_].final_answer == self.truth.letters[id_] for id_ in asked)
            scores["MCQ_accuracy"] = 100 * right / len(asked)
        return scores

    def _tabulate_confusion(self, answers: Mapping[str, _Answer]) -> dict[str, Json]:
        # A letter that is right nowhere gets no row of its own: each row tells something of the truth.
        options = set(self.truth.letters.values())
        rows: dict[str, Counter[str]] = {}
        for id_, right in self.truth.letters.items():
            if id_ in answers:
                given = answers[id_].final_answer
                rows.setdefault(str(given) if given in options else _NO_LETTER, Counter())[right] += 1
        shown = {given: row for given, row in rows.items() if row.total() >= self.parameters.confusion_minimum}
        return {
            "confusion": {given: {**dict(sorted(shown[given].items()))} for given in sorted(shown)},
            "confusion_withheld": sum(row.total() for row in rows.values()) - sum(r.total() for r in shown.values()),
        }


def prepare(materials: ScorerInputs) -> IqaFusion:
    """Build the scorer once.

    Raises:
        EvaluatorError: The ground truth is missing or broken; the message says where.
    """
    if not isinstance(materials.parameters, Parameters):
        raise TypeError("expected the Parameters of this scorer")
    if materials.ground_truth is None:
        raise EvaluatorError("expected a ground truth, found none")
    return IqaFusion(materials.parameters, read_truth(materials.ground_truth))


def _find_letter(answer: str | float | None) -> str | None:
    """Give the letter of "C", "c)", "(C)" or "C. Fair"; None where there is none."""
    found = _LETTER.match(answer) if isinstance(answer, str) else None
    return found[1].upper() if found else None


KIND = ScorerSpec(name="iqa_fusion", parameters=Parameters, score_names=SCORE_NAMES, prepare=prepare)
