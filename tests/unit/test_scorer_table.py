"""The table of scorers, and what starts without them."""

import subprocess
import sys

import pytest

from scoring_core.scorers.table import SCORERS


@pytest.mark.parametrize("name", SCORERS)
def test_a_row_has_the_name_of_its_scorer(name: str) -> None:
    """What a name gives is the scorer of that name."""
    assert SCORERS[name].name == name


@pytest.mark.parametrize("name", ["strict_json", "os", ""])
def test_a_file_that_is_no_scorer_is_no_row(name: str) -> None:
    """Only what the table names is a scorer, whatever files there are."""
    assert name not in SCORERS
    with pytest.raises(KeyError):
        SCORERS[name]


@pytest.mark.parametrize("handler", ["submit.http", "evaluate.queue"])
def test_a_function_starts_without_scorers_and_yaml(handler: str) -> None:
    """A cold start pays for no scorer before a result asks for it, and for no reader of YAML."""
    heavy = {
        "yaml",
        "scoring_core.io.strict_yaml",
        *(f"scoring_core.scorers.{name}.scoring" for name in SCORERS if name != "script"),
    }
    program = f"import sys, {handler}; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert handler in loaded
    assert heavy.isdisjoint(loaded)
