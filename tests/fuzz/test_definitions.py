"""A benchmark's folder is written by hand: it is loaded, or its owner reads sentences, never a traceback."""

import re
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.benchmarks.examples import read_expectations
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.errors import BenchmarkError
from scoring_core.io.text import is_harmful
from tests.fuzz.mutations import json_values, mutated_bytes, mutated_json
from tests.fuzz.patterns import IS_WHOLE

ROOT = Path(__file__).parents[2] / "benchmarks"
FOLDERS = {path.parent.name: path.parent for path in sorted(ROOT.glob("*/benchmark.yaml"))}
DEFINITIONS = [(folder / "benchmark.yaml").read_bytes() for folder in FOLDERS.values()]
EXPECTED = [path.read_bytes() for path in sorted(ROOT.glob("*/examples/expected.yaml"))]
GAME = (ROOT / "coin-run" / "benchmark.yaml").read_bytes()
VALUES = [match.span(1) for match in re.finditer(rb"\w+: *([^\s,{}\[\]][^\n,{}\[\]]*)", GAME)]
MAX_LINES = 13
MAX_LINE = 3_000
TAGS = (
    b"!!int ''", b"!!float x", b"!!bool x", b"!!null x", b"!!timestamp x", b"!!binary a", b"!!binary aGk=",
    b"!!set {a}", b"!!omap [a: 1]", b"!!pairs [a: 1]", b"!!str 1", b"!!seq a", b"!!map a", b"!!merge a",
    b"!!value a", b"! 1", b"!own 1", b"!!python/name:os.system ''", b"!<tag:yaml.org,2002:int> ''",
)  # fmt: skip
NUMBERS = (
    b"9" * 400, b"-" + b"9" * 400, b"9" * 4301, b"0x" + b"f" * 400, b"0b" + b"1" * 4000, b"0b_", b"0o8", b"08",
    b"1_0", b"1e400", b"-1e-400", b"1.0e+400", b".inf", b"-.inf", b".nan", b"._", b"12:30", b":".join([b"59"] * 30),
    b":".join([b"59"] * 200) + b".5", b"true", b"null", b"~", b"''",
)  # fmt: skip
TIMES = (
    b"2026-02-31", b"2026-01-01", b"0001-01-01T00:00:00+23:59", b"9999-12-31T23:59:59-23:59",
    b"2026-01-01T00:00:00+99:99", b"2026-01-01T25:00:00Z",
)  # fmt: skip
SYNTAX = (
    b"&a b", b"*a", b"<<", b"=", b"? a", b"- a", b": ", b"|\n", b">-\n ", b"---\n", b"...\n", b"%YAML 9.9\n---\n",
    b"%TAG ! tag:yaml.org,2002:\n---\n", b"{<<: {a: 1}}", b"{<<: [1]}", b"{? [a] : 1}", b"{1: 2}", b"[" * 50,
    b"[" * 2000, b"[" * 200 + b"]" * 200, b"{a: " * 200 + b"1" + b"}" * 200, b'"\\ud800"', b'"\\U00110000"',
    b'"\\x1b"', b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\t", b"x" * 70_000, b"x" * 130_000,
    b"a: " * 20,
)  # fmt: skip
TOKENS = (*TAGS, *NUMBERS, *TIMES, *SYNTAX)

foreign_values = json_values | st.sampled_from(
    [
        10**400, -(10**400), 1e308, float("inf"), float("nan"), "12:30", "x" * 5000, "\x1b[31m\u202e", "a\r\nb",
        b"\xff", "\ud800", date(2026, 1, 1), datetime.max.replace(tzinfo=UTC), {"a": {"b": [{}]}}, [[[[]]]],
        "script", "squad_v2", "event_decay", "evaluate.py", "truth.csv", "-1", "mean(", "((((((", "1e", "log(0)",
        "a / 0",
    ]
)  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of every shipped benchmark, of which one file after another is written over."""
    home = tmp_path_factory.mktemp("benchmarks")
    for name, folder in FOLDERS.items():
        shutil.copytree(folder, home / name)
    return home


def load(folder: Path, path: str, content: bytes) -> None:
    """Load a folder with another file in it: what is published is sound, or it is refused in sentences."""
    before = (folder / path).read_bytes()
    (folder / path).write_bytes(content)
    try:
        benchmark = load_folder(folder)
        read_expectations(benchmark)
        check(benchmark)
    except BenchmarkError as error:
        lines = error.message.split("\n")
        assert len(lines) <= MAX_LINES  # any that is raised
        assert all(0 < len(line) <= MAX_LINE for line in lines)  # likewise
    finally:
        (folder / path).write_bytes(before)


def check(benchmark: Benchmark) -> None:
    """Check what is published of a benchmark: it can be written, and each text of its definition is one line."""
    published = benchmark.definition.model_dump_json()
    assert not any(is_harmful(character) for character in published)
    assert "\\u00" not in published.replace("\\\\", "")
    assert len(benchmark.version) == 16


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: repr(token[:24]))
def test_each_token_in_each_place(home: Path, token: bytes) -> None:
    """Every tag, number and oddity of YAML as every value of a definition, or as one in five of them."""
    for start, end in VALUES if IS_WHOLE else VALUES[TOKENS.index(token) % 5 :: 5]:
        load(home / "coin-run", "benchmark.yaml", GAME[:start] + token + GAME[end:])


@given(name=st.sampled_from(sorted(FOLDERS)), content=mutated_bytes(DEFINITIONS, TOKENS) | st.binary())
def test_any_bytes_of_a_definition(home: Path, name: str, content: bytes) -> None:
    """Cut, doubled, overwritten, with tokens anywhere."""
    load(home / name, "benchmark.yaml", content)


@given(name=st.sampled_from(sorted(FOLDERS)), data=st.data())
def test_any_values_of_a_definition(home: Path, name: str, data: st.DataObject) -> None:
    """Keys left out and renamed, values of any type in the place of others."""
    sound: Any = yaml.safe_load((FOLDERS[name] / "benchmark.yaml").read_bytes())
    value = data.draw(mutated_json([sound], foreign_values))

    load(home / name, "benchmark.yaml", yaml.safe_dump(value).encode())


@given(name=st.sampled_from(sorted(FOLDERS)), content=mutated_bytes(EXPECTED, TOKENS) | st.binary())
def test_any_bytes_of_what_is_expected(home: Path, name: str, content: bytes) -> None:
    """What examples must get is YAML of the owner's, too."""
    load(home / name, "examples/expected.yaml", content)
