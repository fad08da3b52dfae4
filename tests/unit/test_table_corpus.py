"""The corpus of broken tables, tests/corpus/tables.yaml: each gets exactly the sentences that stand beside it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring_core.errors import InvalidResult
from scoring_core.io.tables import MAX_FAULTS
from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.table import TableParameters
from scoring_core.scorers.table.scoring import prepare

CORPUS: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "corpus" / "tables.yaml").read_text())
ROWS = re.compile(r"\{rows:(.*?):(\d+)\}", re.DOTALL)


def expand(text: str) -> str:
    """Return a text in which `{rows:TEXT:COUNT}` is the text so often, with {n} and {n+2} as the number of the row."""

    def repeat(match: re.Match[str]) -> str:
        line = match[1].replace("\\n", "\n")
        return "".join(line.replace("{n+2}", str(n + 2)).replace("{n}", str(n)) for n in range(int(match[2])))

    return ROWS.sub(repeat, text)


def read_bytes(entry: dict[str, str]) -> bytes:
    """Return the file of an entry."""
    return bytes.fromhex(entry["hex"]) if "hex" in entry else expand(entry["file"]).encode()


@pytest.mark.parametrize("name", CORPUS["files"])
def test_broken_table_gets_its_sentences(name: str) -> None:
    """A broken table is invalid, and its player reads what is wrong, by row and column."""
    entry = CORPUS["files"][name]
    truth = CORPUS["truths"][entry["truth"]]
    score = prepare(ScorerInputs(TableParameters.model_validate(truth["parameters"]), expand(truth["file"]).encode()))

    with pytest.raises(InvalidResult) as caught:
        score(read_bytes(entry))

    assert caught.value.message == expand(entry["says"])


def test_corpus_is_as_large_as_promised() -> None:
    """Sixty broken files at least, and one of them has more mistakes than are named."""
    assert len(CORPUS["files"]) >= 60
    assert any(f"and {30 - MAX_FAULTS} more" in entry["says"] for entry in CORPUS["files"].values())
