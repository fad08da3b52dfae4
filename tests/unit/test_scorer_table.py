"""The table of scorers, and what starts without them."""

import subprocess
import sys

import pytest

from scoring_core.scorers import SCORERS, find_scorer


@pytest.mark.parametrize("name", SCORERS)
def test_specification_has_the_name_of_its_scorer(name: str) -> None:
    """A name leads to the scorer of that name."""
    assert find_scorer(name).name == name


@pytest.mark.parametrize("name", ["strict_json", "os", ""])
def test_other_module_is_no_scorer(name: str) -> None:
    """Only the names of the table are scorers, whatever modules there are."""
    assert name not in SCORERS


@pytest.mark.parametrize("handler", ["submit.http", "evaluate.queue"])
def test_function_starts_without_scorers_and_yaml(handler: str) -> None:
    """A cold start imports no scorer before a result needs it, and no reader of YAML."""
    heavy = {
        "yaml",
        "scoring_core.io.strict_yaml",
        *(f"scoring_core.scorers.{name}" for name in SCORERS if name != "script"),
    }
    program = f"import sys, {handler}; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert handler in loaded
    assert heavy.isdisjoint(loaded)


def test_parameters_are_known_without_the_code_of_a_scorer() -> None:
    """A definition is checked against a scorer's parameters before its scoring, or scipy, is imported."""
    program = "import sys; from scoring_core.scorers import *; [*map(find_scorer, SCORERS)]; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert {f"scoring_core.scorers.{name}" for name in SCORERS} <= set(loaded)
    assert {"numpy", *(f"scoring_core.scorers.{name}.scoring" for name in SCORERS)}.isdisjoint(loaded)
