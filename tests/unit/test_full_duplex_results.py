"""`full_duplex`: JSON results, what is refused and where, and properties of the scores."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.errors import InvalidResult
from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.full_duplex import FullDuplexParameters
from scoring_core.scorers.full_duplex.scoring import prepare
from scoring_core.scorers.full_duplex.submission import FIELDS, LANGUAGES

type Result = dict[str, dict[str, dict[str, Any]]]


def build_result(number: float = 0.5) -> Result:
    """Build a complete result in which every field is this number."""
    return {
        language: {category: dict.fromkeys(fields, number) for category, fields in FIELDS.items()}
        for language in LANGUAGES
    }


def score(result: object, part: str | None = None) -> Evaluation:
    """Score a result that is sent as JSON."""
    (evaluation,) = prepare(ScorerInputs(FullDuplexParameters()))(json.dumps(result).encode(), part=part)
    return evaluation


def refuse(result: object, part: str | None = None) -> InvalidResult:
    """Score a result that must be refused, and give the refusal."""
    with pytest.raises(InvalidResult) as caught:
        score(result, part)
    return caught.value


def test_other_keys_are_ignored() -> None:
    """Other languages, categories and fields change nothing."""
    result = build_result()
    expected = score(result)
    result["fr"] = {}
    result["cn"]["Laughter"] = {"average_RESPOND_score": 7}
    result["cn"]["Topic Switching"]["avg_words"] = "many"

    assert score(result) == expected


def test_everything_missing_is_named_at_once() -> None:
    """Missing files and fields are reported in one message."""
    result = build_result()
    del result["cn"]["Pause Handling"], result["en"]["Topic Switching"]
    del result["en"]["Third-party Speech_before"]["reject_rate"]
    del result["cn"]["Repetition Requests"]["avg_latency_stop"]

    assert refuse(result).message == (
        "expected 20 category files with all their fields; missing files: cn/Pause Handling, en/Topic Switching; "
        "missing fields: cn/Repetition Requests: avg_latency_stop, en/Third-party Speech_before: reject_rate"
    )


@pytest.mark.parametrize("name", ["Pause_Handling", "pause handling ", "PauseHandling"])
def test_names_in_json_are_spelt_as_in_a_zip(name: str) -> None:
    """Case, blanks and underscores make no difference, and a fault is at the name as the result has it."""
    result = build_result()
    result["CN"] = result.pop("cn")
    result["CN"][name] = result["CN"].pop("Pause Handling")
    scores = score(result)

    result["CN"][name]["reject_rate"] = 2

    assert scores == score(build_result())
    assert refuse(result).pointer == f"/CN/{name}/reject_rate"


def test_names_that_are_none_of_the_twenty_are_listed() -> None:
    """A player who names a language or a category otherwise reads which names were there."""
    result = build_result()
    result["dev_zh"] = result.pop("cn")
    result["en"]["Pauses"] = result["en"].pop("Pause Handling")

    message = refuse(result).message

    assert (
        "en/Pause Handling; found names that are none of the 20: 'en/Pauses', 'dev_zh/Follow-up Questions'," in message
    )


def test_two_names_of_one_file_are_refused() -> None:
    """Which of two spellings counts cannot be known."""
    result = build_result()
    result["cn"]["Pause_Handling"] = result["cn"]["Pause Handling"]

    assert refuse(result).message.startswith("two members are the same file")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("average_RESPOND_score", 1.01, "expected a number between 0 and 1, found the number 1.01"),
        ("average_RESPOND_score", None, "found null"),
        ("average_RESPOND_score", True, "found the boolean true"),
        ("avg_latency_stop", "1.1", "expected seconds, at least 0, found the string '1.1'"),
        ("avg_first_time_delay", 10**400, "expected seconds, at least 0, found a long number"),
        ("avg_first_time_delay", 1.7e308, "expected seconds, at least 0, found the number 1.7e+308"),
    ],
)
def test_numbers_out_of_range(field: str, value: object, message: str) -> None:
    """Scores and rates lie in [0, 1], delays are finite and not negative; the message says where."""
    result = build_result()
    result["en"]["Topic Switching"][field] = value

    error = refuse(result)

    assert message in error.message
    assert error.message.startswith(f"en/Topic Switching: {field}: ")
    assert error.pointer == f"/en/Topic Switching/{field}"


@pytest.mark.parametrize(
    ("result", "at"),
    [([], ""), ({"cn": []}, "/cn"), ({"cn": {"Pause Handling": 1}}, "/cn/Pause Handling"), ({"en": None}, "/en")],
)
def test_objects_all_the_way(result: object, at: str) -> None:
    """A result, a language and a category are objects."""
    error = refuse(result)

    assert "expected an object" in error.message
    assert error.pointer == at


shares = st.floats(0, 1)
results = st.fixed_dictionaries(
    {
        language: st.fixed_dictionaries(
            {
                category: st.fixed_dictionaries({field.value: shares for field in fields})
                for category, fields in FIELDS.items()
            }
        )
        for language in LANGUAGES
    }
)


@given(results)
def test_languages_weigh_the_same(result: Result) -> None:
    """Swapping the two languages changes no bit."""
    assert score({"cn": result["en"], "en": result["cn"]}) == score(result)
