"""Expressions of computed headers: what they are worth, what they read, and what is refused."""

import math
import re

import pytest

from scoring_core.metrics.expressions import MAX_LENGTH, ExpressionError, parse
from scoring_core.metrics.score_type import order


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 4 - 2", 2.0),
        ("8 / 4 / 2", 1.0),
        ("-2 * -3", 6.0),
        ("2 - -3", 5.0),
        ("---2", -2.0),
        (".5 + 1. + 1e2 + 2E-1", 101.7),
        ("min(3, 1, 2)", 1.0),
        ("min(3)", 3.0),
        ("mean(1, 2, 6)", 3.0),
        ("log(exp(2))", 2.0),
        ("log(2.718281828459045)", 1.0),
        ("round(2.5) + round(3.5)", 6.0),
        ("round(2.675, 2)", 2.67),
        ("round(1250, -2)", 1200.0),
        ("max(1, min(2, 3), (4))", 4.0),
        ("0 * -1", 0.0),
        ("03 + 010", 13.0),
    ],
)
def test_operators_and_functions_compute(text: str, value: float) -> None:
    """Operators bind as in arithmetic and to the left; functions do what their names say, halves round to even."""
    assert parse(text).compute({}) == pytest.approx(value, rel=1e-15)


def test_no_negative_zero() -> None:
    """A value of zero has no sign, so that equal scores look equal."""
    value = parse("round(-0.4, 0)").compute({})

    assert value is not None
    assert math.copysign(1, value) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1", set()),
        ("a + _b2 * a", {"a", "_b2"}),
        ("'Hit Rate' / 'it''s'", {"Hit Rate", "it's"}),
        ("max(max, 'min')", {"max", "min"}),
        ("log / e", {"log", "e"}),
        ("'1 + 1'", {"1 + 1"}),
        ("and + if * None", {"and", "if", "None"}),
        ("'a\\nb' + '\ud800'", {"a\\nb", "\ud800"}),
    ],
)
def test_names_of_metrics_are_read(text: str, names: set[str]) -> None:
    """Names are bare or quoted; a function's name is a metric unless a bracket follows."""
    expression = parse(text)

    assert expression.names == names
    assert expression.compute(dict.fromkeys(names, 3))


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("1 / a", {"a": 0}),
        ("log(a)", {"a": 0}),
        ("log(a)", {"a": -1}),
        ("exp(a)", {"a": 1000}),
        ("a * a", {"a": 1e200}),
        ("a - b", {"a": 1e308, "b": -1e308}),
        ("mean(a, a)", {"a": 1e308}),
        ("a", {}),
        ("max(1, a)", {"b": 1}),
        ("a", {"a": math.nan}),
        ("a", {"a": math.inf}),
        ("a", {"a": 10**400}),
        ("min(1, 1 / a)", {"a": 0}),
    ],
)
def test_value_is_absent_after_any_failed_step(text: str, scores: dict[str, float]) -> None:
    """An absent input, a domain error and an overflow at any step make the value absent, never NaN or infinite."""
    with pytest.raises(ValueError, match=r"has no value|division by 0|logarithm|too large"):
        parse(text).compute(scores)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 1, "expected a number, a metric, a function or"),
        ("1 +", 4, "found the end"),
        ("1 + * 2", 5, "found '*'"),
        ("+ 1", 1, "found '+'"),
        ("(1 + 2", 7, 'expected ")" or an operator, found the end'),
        ("2 x", 3, "expected an operator, found 'x'"),
        ("First Response Delay", 7, "a name with spaces needs single quotes"),
        ("(Hit Rate)", 6, "a name with spaces needs single quotes"),
        ("meam(a)", 1, "unknown function 'meam'; did you mean 'mean'?"),
        ("1 + sqrt(a)", 5, "unknown function 'sqrt'; known are min, max, mean, log, exp, round"),
        ("'max'(1)", 6, "expected an operator, found '('"),
        ("min()", 5, "found ')'"),
        ("log(8, 2)", 6, "log takes no further value"),
        ("round(1, 2, 3)", 11, "round takes no further value"),
        ("round(1, a)", 10, "expected a whole number of digits from -15 to 15, found 'a'"),
        ("round(1, 1.5)", 10, "found '1.5'"),
        ("round(1, -16)", 11, "found '16'"),
        ("(1, 2)", 3, "expected \")\" or an operator, found ','"),
        ("2 ** 3", 4, "found '*'"),
        ("2 ^ 3", 3, "there is no power"),
        ("2 % 3", 3, "unexpected '%'"),
        ('"Hit Rate"', 1, "quote names with single quotes"),
        ("1 + 'Hit Rate", 5, "a quoted name ends with a single quote"),
        ("'a''", 1, "a quoted name ends with a single quote"),
        ("''", 1, "expected a name between the quotes"),
        ("Größe", 3, "a name with other letters than A to Z needs single quotes"),
        ("\u2018a\u2019", 1, "straight single quotes"),
        ("1e999", 1, "the number '1e999' is too large"),
        ("__import__('os')", 1, "unknown function '__import__'"),
        ("a.b", 2, "unexpected '.'"),
    ],
)
def test_broken_expression_is_rejected_with_its_column(text: str, position: int, message: str) -> None:
    """A broken expression is rejected with its column and, if there is one, a hint."""
    with pytest.raises(ExpressionError, match=re.escape(message)) as caught:
        parse(text)

    assert caught.value.position == position
    assert str(caught.value).endswith(f"(column {position})")


def test_length_of_an_expression_is_limited() -> None:
    """An expression of 500 characters is read, however many signs it chains; one of 501 is not."""
    longest = "-" * (MAX_LENGTH - 1) + "1"

    assert parse(longest).compute({}) == -1.0
    assert parse("1" + "+1" * 249).compute({}) == 250.0
    with pytest.raises(ExpressionError, match="at most 500 characters, found 501"):
        parse("-" + longest)


def test_depth_of_brackets_is_limited() -> None:
    """Brackets nest 32 deep and no deeper, those of functions included."""
    assert parse("exp(" * 16 + "(" * 16 + "a" + ")" * 32).names == {"a"}
    with pytest.raises(ExpressionError, match="at most 32 deep"):
        parse("(" * 33 + "a" + ")" * 33)


@pytest.mark.parametrize(
    ("expressions", "message"),
    [
        ({"Total": "Coins + Pionts"}, "metric 'Total' reads 'Pionts', which is no metric; did you mean 'Points'?"),
        ({"Total": "zzz"}, "metric 'Total' reads 'zzz', which is no metric"),
        ({"a": "a + 1"}, "computed metrics form a circle: 'a' reads 'a'"),
        ({"a": "b", "b": "c", "c": "a", "d": "a"}, "circle: 'a' reads 'b' reads 'c' reads 'a'"),
    ],
)
def test_unknown_names_and_circles_are_refused(expressions: dict[str, str], message: str) -> None:
    """Names that are no header and circles are refused, with the headers in question."""
    parsed = {header: parse(text) for header, text in expressions.items()}

    with pytest.raises(ExpressionError, match=re.escape(message)) as caught:
        order(parsed, ["Coins", "Points"])

    assert caught.value.position is None
