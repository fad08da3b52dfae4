"""Computed metrics: metrics made of other metrics, submission by submission."""

from typing import Any

import pytest

from scoring_core.benchmarks.loading import load_folder
from scoring_core.errors import BenchmarkError, EvaluatorError
from scoring_core.judgement import judge
from scoring_core.metrics.score_type import ScoreType
from scoring_core.scorers.base import Evaluation

# Source: docs/sources.md, "Full duplex", sections 5 and 6: plain figures and the totals that follow from them.
PUBLISHED_PLAIN = {
    "avg_latency_stop": 1.106,
    "avg_latency_resp": 2.461,
    "First Response Delay": 1.528,
    "SDA": 0.235,
    "after": 0.34,
    "URBC": 0.765,
    "PH": 0.83,
    "before": 0.0,
}
PUBLISHED_EXPRESSIONS = {
    "Rejection Total Score": "mean(SDA, URBC, PH, third_party) * 100",
    "third_party": "(before + after) / 2",
    "Total Delay": "mean(avg_latency_stop, avg_latency_resp, 'First Response Delay')",
}


def columns_of(*headers: dict[str, Any]) -> ScoreType:
    """Return the score type of these headers, floats where they do not say."""
    return ScoreType.model_validate({"headers": [{"type": "float", **header} for header in headers]})


RATE = columns_of(
    {"name": "hits", "type": "int"}, {"name": "tries", "type": "int"}, {"name": "rate", "expression": "hits / tries"}
)


def test_computed_metrics_match_the_published_table(game: dict[str, Any], write_folder: Any) -> None:
    """A benchmark's folder reproduces the published totals from its plain figures."""
    headers = [{"name": name, "type": "float"} for name in PUBLISHED_PLAIN]
    headers += [{"name": name, "type": "float", "expression": text} for name, text in PUBLISHED_EXPRESSIONS.items()]
    game |= {"score_type": {"headers": headers}, "ranking": {"by": ["Rejection Total Score", "Total Delay"]}}
    benchmark = load_folder(write_folder(game))

    judgement = judge(benchmark, lambda _, part=None: (Evaluation(dict(PUBLISHED_PLAIN), {}, part=part),), b"{}")

    assert judgement.message == ""
    assert round(judgement.scores["Rejection Total Score"], 1) == 50.0
    assert round(judgement.scores["Total Delay"], 3) == 1.698
    assert judgement.scores["third_party"] == 0.17


def test_built_in_scorer(game: dict[str, Any], write_folder: Any) -> None:
    """A built-in scorer need not yield a computed header."""
    del game["ranking"]
    headers = [
        {"name": "Total Delay", "type": "float"},
        {"name": "Halved", "type": "float", "expression": "'Total Delay' / 2"},
    ]
    game |= {"scorer": "full_duplex", "score_type": {"headers": headers}, "ranking": {"by": ["Halved"]}}

    score_type = load_folder(write_folder(game)).definition.score_type

    assert score_type.select({"Total Delay": 3.0}, exact=False) == {"Total Delay": 3.0, "Halved": 1.5}


def test_script_yields_plain_headers() -> None:
    """A script must yield the plain headers exactly: a computed one is not missing, and yielding it is a mistake."""
    columns = RATE.select({"hits": 1, "tries": 4}, exact=True)

    assert columns == {"hits": 1, "tries": 4, "rate": 0.25}
    with pytest.raises(EvaluatorError, match="unknown 'rate'"):
        RATE.select({"hits": 1, "tries": 4, "rate": 0.25}, exact=True)


@pytest.mark.parametrize(
    ("scores", "columns"),
    [({"hits": 1, "tries": 0}, {"hits": 1, "tries": 0}), ({"hits": 1}, {"hits": 1})],
    ids=["a division by zero", "an absent metric"],
)
def test_absent_value(scores: dict[str, int], columns: dict[str, int]) -> None:
    """Where there is no value, or a header that is read is absent, so is all that is computed from it."""
    chain = [*RATE.model_dump()["headers"], {"name": "twice", "type": "float", "expression": "rate * 2"}]

    assert columns_of(*chain).select(scores, exact=False) == columns


def test_chain_in_any_order() -> None:
    """Computed headers may read others that stand after them; columns keep the order of the headers."""
    score_type = columns_of({"name": "c", "expression": "b * 2"}, {"name": "b", "expression": "a + 1"}, {"name": "a"})

    columns = score_type.select({"a": 1.0}, exact=True)

    assert list(columns.items()) == [("c", 4.0), ("b", 2.0), ("a", 1.0)]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"max": 1}, "score 'x': 3.0 is above the maximum 1"),
        ({"type": "int", "expression": "a / 2"}, "score 'x': expected a whole number, found 1.5"),
    ],
)
def test_value_is_checked(header: dict[str, Any], message: str) -> None:
    """A computed value must fit its header as any other."""
    score_type = columns_of({"name": "a"}, {"name": "x", "expression": "a", **header})

    with pytest.raises(EvaluatorError) as caught:
        score_type.select({"a": 3.0}, exact=True)

    assert caught.value.message == message


def test_whole_value_in_int_column() -> None:
    """A whole computed value is kept as an int in an int column."""
    score_type = columns_of({"name": "a"}, {"name": "x", "type": "int", "expression": "round(a)"})

    assert repr(score_type.select({"a": 2.6}, exact=True)["x"]) == "3"


def test_refused_when_loaded(game: dict[str, Any], write_folder: Any) -> None:
    """The error of a wrong expression names the file, the metric and the column."""
    game["score_type"]["headers"].append({"name": "Rate", "type": "float", "expression": "Coins / (Time"})

    with pytest.raises(BenchmarkError) as caught:
        load_folder(write_folder(game))

    assert str(caught.value).startswith("coin-run/benchmark.yaml: score_type: metric 'Rate': expression: expected")


def test_score_type_computes_the_same_after_json() -> None:
    """A score type that was published and read back computes the same."""
    copy = ScoreType.model_validate_json(RATE.model_dump_json())

    assert copy == RATE
    assert copy.select({"hits": 1, "tries": 4}, exact=True)["rate"] == 0.25
