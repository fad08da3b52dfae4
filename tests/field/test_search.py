"""Page and service fold names alike for a search; `frontend/test/fold.test.ts` reads the same table."""

import json
from pathlib import Path

import pytest

from api.boards.routes import fold_name

NAMES: list[list[str]] = json.loads((Path(__file__).parent / "cases" / "folded.json").read_text())


@pytest.mark.parametrize("spellings", NAMES)
def test_spellings_of_a_name_are_folded_alike(spellings: list[str]) -> None:
    """Whichever of them is typed finds the others, and so does its beginning."""
    folded, *others = map(fold_name, spellings)

    assert {folded, *others} == {folded}
    assert folded.startswith(fold_name(spellings[1][:3]))
