"""`full_duplex`: how well and how fast a voice system takes interruptions and leaves alone what is not meant for it.

A result is 20 category files, as one JSON object or as a ZIP (`duplex_archive`).
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from scoring_core.errors import InvalidResult, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, ScorerSpec, Scores, describe, pointer
from scoring_core.scorers.full_duplex.archive import FileName, read_archive

LANGUAGES = ("cn", "en")
SCORE_NAMES = (
    "Interruption Total Score",
    "Rejection Total Score",
    "First Response Delay",
    "avg_latency_stop",
    "avg_latency_resp",
    "Total Delay",
)
"""Two percentages and four delays in seconds. Source: docs/sources.md, "Full duplex", section 1."""


class Field(StrEnum):
    """What a category file says: scores and rates in [0, 1], delays in seconds."""

    RESPOND = "average_RESPOND_score"
    RESUME = "average_RESUME_score"
    REJECT_RATE = "reject_rate"
    STOP = "avg_latency_stop"
    RESPONSE = "avg_latency_resp"
    FIRST_DELAY = "avg_first_time_delay"


INTERRUPTION = (
    "Follow-up Questions",
    "Negation or Dissatisfaction",
    "Repetition Requests",
    "Silence or Termination",
    "Topic Switching",
)
REJECTION: Mapping[str, Field] = {
    "Speech Directed at Others": Field.RESUME,
    "Third-party Speech_after": Field.RESUME,
    "User Real-time Backchannels": Field.RESUME,
    "Pause Handling": Field.REJECT_RATE,
    "Third-party Speech_before": Field.REJECT_RATE,
}
FIELDS: Mapping[str, tuple[Field, ...]] = {
    **dict.fromkeys(INTERRUPTION, (Field.RESPOND, Field.STOP, Field.RESPONSE, Field.FIRST_DELAY)),
    **{category: (field, Field.FIRST_DELAY) for category, field in REJECTION.items()},
}
"""Category → the fields that each of its two files must have."""

_DELAYS = frozenset({Field.STOP, Field.RESPONSE, Field.FIRST_DELAY})
# Delays up to here add up without overflow.
_MAX_DELAY = 1e300
_ZIP_START = b"PK"

type Measures = Mapping[FileName, Mapping[Field, float]]
"""(language, category) → field → number."""


class Parameters(BaseModel):
    """This scorer has none."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def prepare(_: ScorerInputs) -> "FullDuplexScorer":
    """Build the scorer, which needs nothing."""
    return FullDuplexScorer()


class FullDuplexScorer:
    """Scores one result after another."""

    def __call__(self, result: bytes, /, *, part: str | None = None) -> list[Evaluation]:
        """Score the 20 files; bytes that begin with `PK` are a ZIP, any others JSON."""
        if part is not None:
            raise InvalidResult("this benchmark has no parts: expected a result without one")
        files = read_archive(result, file_names()) if result.startswith(_ZIP_START) else _read_object(result)
        return [score(_read_measures(files))]


def score(measures: Measures) -> Evaluation:
    """Score a complete result.

    Args:
        measures: All 20 files with all their fields; scores and rates in [0, 1], delays in seconds, >= 0.

    Returns:
        The scores of SCORE_NAMES, percentages in [0, 100] and delays in seconds, and as detail the source's `all.json`.

    Source: docs/sources.md, "Full duplex", sections 3 to 6:

    >>> numbers = dict.fromkeys(Field, 0.5) | {Field.STOP: 1.106, Field.RESPONSE: 2.461, Field.FIRST_DELAY: 1.528}
    >>> round(score(dict.fromkeys(file_names(), numbers)).scores["Total Delay"], 3)
    1.698
    """
    interruption_total = _mean(measures, INTERRUPTION, Field.RESPOND) * 100
    stop = _mean(measures, INTERRUPTION, Field.STOP)
    response = _mean(measures, INTERRUPTION, Field.RESPONSE)
    first_delay = _mean(measures, FIELDS, Field.FIRST_DELAY)
    reject = {
        category: {field: _mean(measures, [category], field) for field in FIELDS[category]} for category in REJECTION
    }
    scores: Scores = {
        "Interruption Total Score": interruption_total,
        "Rejection Total Score": _total_rejection({name: reject[name][field] for name, field in REJECTION.items()}),
        "First Response Delay": first_delay,
        "avg_latency_stop": stop,
        "avg_latency_resp": response,
        "Total Delay": fmean([stop, response, first_delay]),
    }
    detail: dict[str, Json] = {
        "interrupt": {
            "Interruption Total Score": interruption_total,
            "avg_latency_stop": stop,
            "avg_latency_resp": response,
            "avg_first_time_delay": _mean(measures, INTERRUPTION, Field.FIRST_DELAY),
        },
        "reject": {
            category: {field.value: mean for field, mean in means.items()} for category, means in reject.items()
        },
    }
    for name in ("First Response Delay", "Interruption Total Score", "Rejection Total Score", "Total Delay"):
        detail[name] = scores[name]
    return Evaluation(scores, detail)


def file_names() -> list[FileName]:
    """Give language and category of all 20 files."""
    return [(language, category) for language in LANGUAGES for category in FIELDS]


def _mean(measures: Measures, categories: Iterable[str], field: Field) -> float:
    """Average a field over both languages of these categories."""
    return fmean(measures[language, category][field] for category in categories for language in LANGUAGES)


def _total_rejection(means: Mapping[str, float]) -> float:
    third_party = (means["Third-party Speech_before"] + means["Third-party Speech_after"]) / 2
    plain = (means[name] for name in ("Speech Directed at Others", "User Real-time Backchannels", "Pause Handling"))
    return fmean([*plain, third_party]) * 100


def _read_object(result: bytes) -> dict[FileName, Json]:
    try:
        value = strict_json.loads(result)
    except StrictJsonError as error:
        raise InvalidResult(f"expected JSON or a ZIP: {error}") from error
    languages = _expect_object(value, ())
    files: dict[FileName, Json] = {}
    for language in LANGUAGES:
        categories = _expect_object(languages.get(language, {}), (language,))
        files |= {(language, category): categories[category] for category in FIELDS if category in categories}
    return files


def _read_measures(files: Mapping[FileName, Json]) -> Measures:
    """Check the files: first that all is there, told in one message, then every number, told one by one."""
    objects = {name: _expect_object(files[name], name) for name in file_names() if name in files}
    missing_files = [
        f"{language}/{category}" for language, category in file_names() if (language, category) not in files
    ]
    missing_fields = [
        f"{language}/{category}: {field}"
        for (language, category), members in objects.items()
        for field in FIELDS[category]
        if field not in members
    ]
    kinds = {"files": missing_files, "fields": missing_fields}
    missing = [f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names]
    if missing:
        raise InvalidResult(f"expected 20 category files with all their fields; missing {'; missing '.join(missing)}")
    return {
        (language, category): {
            field: _read_number(members[field], field, (language, category)) for field in FIELDS[category]
        }
        for (language, category), members in objects.items()
    }


def _read_number(value: Json, field: Field, name: FileName) -> float:
    where = pointer(*name, field)
    limit = _MAX_DELAY if field in _DELAYS else 1
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= limit:
        wanted = "seconds, at least 0" if field in _DELAYS else "a number between 0 and 1"
        raise InvalidResult(f"{'/'.join(name)}: {field}: expected {wanted}, found {describe(value)}", where)
    return float(value)


def _expect_object(value: Json, steps: tuple[str, ...]) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise InvalidResult(
            f"{'/'.join(steps) or 'result'}: expected an object, found {describe(value)}", pointer(*steps)
        )
    return value


KIND = ScorerSpec(
    name="full_duplex",
    parameters=Parameters,
    score_names=SCORE_NAMES,
    prepare=prepare,
    needs_ground_truth=False,
)
