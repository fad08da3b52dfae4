"""The scores of `full_duplex`. Source: docs/sources.md, "Full duplex", sections 3 to 6."""

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

from scoring_core.errors import InvalidResult
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, Scores
from scoring_core.scorers.full_duplex.submission import (
    FIELDS,
    INTERRUPTION,
    LANGUAGES,
    REJECTION,
    FileField,
    Measures,
    read_result,
)


def prepare(_: ScorerInputs) -> Callable[..., list[Evaluation]]:
    """Return the scorer, which needs nothing."""
    return score_result


def score_result(result: bytes, /, *, part: str | None = None) -> list[Evaluation]:
    """Score the 20 files of a result. Raises InvalidResult."""
    if part is not None:
        raise InvalidResult("this benchmark has no parts: expected a result without one")
    return [score(read_result(result))]


def score(measures: Measures) -> Evaluation:
    """Score a complete result.

    Args:
        measures: All 20 files with all their fields; scores and rates in [0, 1], delays in seconds, >= 0.

    Returns:
        The scores of SCORE_NAMES, percentages in [0, 100] and delays in seconds. The detail has the source's `all.json`
        and the means of each of the ten categories.

    >>> from scoring_core.scorers.full_duplex.submission import FILE_NAMES
    >>> numbers = dict.fromkeys(FileField, 0.5)
    >>> numbers |= {FileField.STOP: 1.106, FileField.RESPONSE: 2.461, FileField.FIRST_DELAY: 1.528}
    >>> round(score(dict.fromkeys(FILE_NAMES, numbers)).scores["Total Delay"], 3)
    1.698
    """
    interruption_total = _mean(measures, INTERRUPTION, FileField.RESPOND) * 100
    stop = _mean(measures, INTERRUPTION, FileField.STOP)
    response = _mean(measures, INTERRUPTION, FileField.RESPONSE)
    first_delay = _mean(measures, FIELDS, FileField.FIRST_DELAY)
    categories = {
        category: {field.value: _mean(measures, [category], field) for field in fields}
        for category, fields in FIELDS.items()
    }
    reject = {category: categories[category] for category in REJECTION}
    scores: Scores = {
        "Interruption Total Score": interruption_total,
        "Rejection Total Score": _total_rejection({name: reject[name][field] for name, field in REJECTION.items()}),
        "First Response Delay": first_delay,
        "avg_latency_stop": stop,
        "avg_latency_resp": response,
        "Total Delay": fmean([stop, response, first_delay]),
    }
    summary: dict[str, Json] = {
        "interrupt": {
            "Interruption Total Score": interruption_total,
            "avg_latency_stop": stop,
            "avg_latency_resp": response,
            "avg_first_time_delay": _mean(measures, INTERRUPTION, FileField.FIRST_DELAY),
        },
        "reject": {category: {**means} for category, means in reject.items()},
    }
    for name in ("First Response Delay", "Interruption Total Score", "Rejection Total Score", "Total Delay"):
        summary[name] = scores[name]
    return Evaluation(
        scores, {"all.json": summary, "categories": {category: {**means} for category, means in categories.items()}}
    )


def _mean(measures: Measures, categories: Iterable[str], field: FileField) -> float:
    """Return the mean of a field over both languages of these categories."""
    return fmean(measures[language, category][field] for category in categories for language in LANGUAGES)


def _total_rejection(means: Mapping[str, float]) -> float:
    third_party = (means["Third-party Speech_before"] + means["Third-party Speech_after"]) / 2
    plain = (means[name] for name in ("Speech Directed at Others", "User Real-time Backchannels", "Pause Handling"))
    return fmean([*plain, third_party]) * 100
