"""A result of `squad_v2`, checked and put into the order of the questions."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scoring_core.errors import InvalidResult
from scoring_core.io.text import list_some
from scoring_core.scorers.base import MAX_DOUBLE, Json, describe, pointer
from scoring_core.scorers.squad_v2.ground_truth import Questions


class Predictions(NamedTuple):
    """A result, with the JSON pointers of its parts."""

    predictions: Mapping[str, Json]
    na_probs: Mapping[str, Json] | None = None
    predictions_at: str = ""
    na_probs_at: str = ""


class Answers(NamedTuple):
    """The predictions, one for each question and in the order of the questions.

    Args:
        texts: The raw texts; "" if there is none.
        missing: Rising indices of the questions without a prediction.
        unknown_count: How many predictions belong to no question.
    """

    texts: Sequence[str]
    missing: Sequence[int]
    unknown_count: int


class Probabilities(NamedTuple):
    """The no-answer probabilities, one for each question and in the order of the questions.

    Args:
        values: Any finite numbers, as in the result; −∞ if the prediction is missing.
        order: Indices of the questions that have a prediction, in the order of the result.
    """

    values: Sequence[float]
    order: Sequence[int]


def read_result(value: Json) -> Predictions:
    """Return the parts of a result of either shape.

    An object whose "predictions" is an object has the shape `{"predictions": {…}, "na_probs"?: {…}}`; any other is
    `{qid: text}`. A question may therefore have the id "predictions": its prediction is a string. Raises InvalidResult
    if it has neither shape.
    """
    members = expect_object(value, "")
    if not isinstance(members.get("predictions"), dict):
        return Predictions(members)
    for key in members.keys() - {"predictions", "na_probs"}:
        raise InvalidResult('expected only "predictions" and "na_probs" here, found another key', pointer(key))
    predictions_at, na_probs_at = pointer("predictions"), pointer("na_probs")
    na_probs = expect_object(members["na_probs"], na_probs_at) if "na_probs" in members else None
    return Predictions(expect_object(members["predictions"], predictions_at), na_probs, predictions_at, na_probs_at)


def expect_object(value: Json, at: str) -> dict[str, Json]:
    """Return the value if it is an object, else raise InvalidResult."""
    if not isinstance(value, dict):
        hint = _hint_at_shape(value)
        raise InvalidResult(f"expected an object with one member for each question, found {describe(value)}{hint}", at)
    return value


def _hint_at_shape(value: Json) -> str:
    """Return how a shape of Hugging Face's becomes that of the official script."""
    match value:
        case [{"id": _, "prediction_text": _}, *_]:
            return (
                ': of each {"id": …, "prediction_text": …} of Hugging Face\'s list make a member, id → text; of '
                "no_answer_probability one of na_probs"
            )
        case [{"text": _, "probability": _}, *_]:
            return ": this is nbest_predictions.json; send predictions.json, which has one text for each question"
        case float():
            return ": numbers, as of null_odds.json, belong into na_probs"
        case _:
            return ""


def align_answers(result: Predictions, questions: Questions, *, missing_is_zero: bool) -> Answers:
    """Return the prediction of each question. Raises InvalidResult."""
    predictions = result.predictions
    try:
        "".join(predictions.values())  # type: ignore[arg-type]  # this is the check: nothing but strings can be joined
    except TypeError:
        key, value = next((key, value) for key, value in predictions.items() if not isinstance(value, str))
        message = f"expected the text of an answer, found {describe(value)}{_hint_at_shape(value)}"
        raise InvalidResult(message, result.predictions_at + pointer(key)) from None
    if list(predictions) == questions.ids:
        return Answers(list(predictions.values()), (), 0)  # type: ignore[arg-type]  # checked above
    texts = [*map(predictions.get, questions.ids)]
    missing = [index for index, text in enumerate(texts) if text is None]
    if missing and not missing_is_zero:
        raise InvalidResult(
            f"{len(missing)} of {len(texts)} questions have no prediction: {_list_ids(missing, questions)}",
            result.predictions_at,
        )
    unknown_count = len(predictions) - len(texts) + len(missing)
    return Answers([text or "" for text in texts], missing, unknown_count)  # type: ignore[misc]  # checked above


def align_probabilities(result: Predictions, questions: Questions, answers: Answers) -> Probabilities:
    """Return the no-answer probability of each question; 0.0 without `na_probs`.

    Raises InvalidResult if a question with a prediction has no probability, or one that is no finite double.
    """
    na_probs, ids = result.na_probs, questions.ids
    order: Sequence[int] = range(len(ids))
    values: list[Json]
    if na_probs is None:
        values = [0.0] * len(ids)
    elif list(na_probs) == ids:
        values = list(na_probs.values())
    else:
        values = [*map(na_probs.get, ids)]
        indices = dict(zip(ids, order, strict=True))
        order = [indices[key] for key in na_probs if key in indices]
    for index in answers.missing:
        values[index] = 0.0
    if na_probs is not None:
        _check_probabilities(values, questions, at=result.na_probs_at)
    if answers.missing:
        missing = set(answers.missing)
        order = [index for index in order if index not in missing]
        values = [-math.inf if index in missing else value for index, value in enumerate(values)]
    return Probabilities(values, order)  # type: ignore[arg-type]  # checked above


def _check_probabilities(probabilities: Sequence[Json], questions: Questions, *, at: str) -> None:
    # A sum is finite only if every number is.
    if set(map(type, probabilities)) == {float} and math.isfinite(sum(probabilities)):  # type: ignore[arg-type]
        return
    missing = [index for index, value in enumerate(probabilities) if value is None]
    if missing:
        message = f"{len(missing)} predictions have no no-answer probability: {_list_ids(missing, questions)}"
        raise InvalidResult(message, at)
    for identifier, value in zip(questions.ids, probabilities, strict=True):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidResult(f"expected a number, found {describe(value)}", at + pointer(identifier))
        if not abs(value) <= MAX_DOUBLE:
            raise InvalidResult("expected a number that fits a double", at + pointer(identifier))


def _list_ids(indices: Sequence[int], questions: Questions) -> str:
    return list_some(repr(questions.ids[index]) for index in indices)
