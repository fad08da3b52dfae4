"""Every reader of what players and owners send takes time in proportion to its input, whatever the input holds."""

import contextlib
import re
from typing import Any

import pytest

from scoring_core.io import strict_json
from scoring_core.scorers.iqa_fusion.submission import read_items
from submit.batch_import.entries import Rules
from submit.batch_import.readers import read_lines
from tests.fuzz.growth import check_growth, check_memory
from tests.fuzz.patterns import IS_WHOLE, Pattern, apply, find_patterns, make_texts
from tests.fuzz.readers import DESERVED, READERS, drain
from tests.fuzz.shapes import JSON, repeat

pytestmark = pytest.mark.fuzz

MAX_ERROR_LENGTH = 5000
MOST_TEXT = 1 << 16
"""Long enough for a regular expression: what is quadratic takes seconds for it."""
METHODS_OF_HANDED_ON = frozenset({"findall"})
"""How an expression is used that is handed to another function."""

CASES = [(reader, shape) for reader, entry in READERS.items() for shape in entry.shapes]
FOUND = [
    ("iqa_fusion: result", "an answer behind spaces"),
    ("squad_v2: golds and answers", "repeated words"),
    ("squad_v2: golds and answers", "many golds"),
    ("squad_v2: golds and answers", "many long golds"),
    ("event_decay: truth", "known columns and more"),
    ("strict YAML", "one number of base 60"),
    ("a definition", "one number of base 60"),
    ("an upload", "strangers"),
    ("a definition", "digits of base 2"),
    ("strict YAML", "one long key twice"),
    ("strict YAML", "open arrays"),
    ("an earlier board", "tags in a cell"),
]
"""What was not linear once, or failed otherwise."""
if not IS_WHOLE:
    CASES = FOUND

PATTERNS, OTHERS = find_patterns()
BOUNDED = {
    "cli/templates/moved/evaluate.py:Origins": "one text of the program, as it is; its run has a limit",
    "cli/commands/benchmarks/new.py:check_folder_name": "one class, in an argument of the command",
    "layers/scoring_core/scoring_core/io/strict_yaml.py:module": "the named ones, anchored for PyYAML",
    "layers/scoring_core/scoring_core/io/formats.py:module": "first bytes of a file, 20 at most",
    "layers/scoring_core/scoring_core/scorers/table/__init__.py:split_metric": "one class, in a name of a metric",
    "local/template.py:find_fault": "patterns of our own template, over a parameter of the operator's",
    "local/template.py:_compile": "the routes of our own template",
    "functions/api/players/invitations/addresses.py:_split": "three marks; nothing follows its loop",
    "functions/handlers/http/paths.py:compile_path": "our own paths; the reader `a path` shows that they are linear",
    "functions/sandbox/runner/run.py:_warm_up": "one word of our own, looked for in a script of at most 1 MiB",
}
"""Expressions without a name of their own, and why they need no texts."""


@pytest.mark.long
@pytest.mark.parametrize(("reader", "shape"), CASES)
def test_reader_takes_linear_time(reader: str, shape: str) -> None:
    """The time grows linearly up to the reader's own bound, and error messages stay short."""
    entry = READERS[reader]
    longest = 0

    def read(data: Any) -> None:
        nonlocal longest
        try:
            entry.read(data)
        except DESERVED as error:
            longest = max(longest, len(str(error)))

    check_growth(read, entry.shapes[shape], most=entry.most)
    assert longest <= MAX_ERROR_LENGTH


def check_pattern(pattern: re.Pattern[Any], method: str) -> None:
    """Check the growth of one use of an expression, over texts that are made of it."""
    for make in make_texts(pattern):
        check_growth(apply(pattern, method), make, most=MOST_TEXT)


@pytest.mark.long
@pytest.mark.parametrize("pattern", [pytest.param(pattern, id=pattern.where) for pattern in PATTERNS])
def test_regular_expression_takes_linear_time(pattern: Pattern) -> None:
    """Whatever an expression repeats, however it is used, and wherever the text ends: no way is tried twice."""
    for method in pattern.methods or METHODS_OF_HANDED_ON:
        check_pattern(pattern.compiled, method)


def test_every_regular_expression_is_named() -> None:
    """An expression that is compiled where it is used is found by no test: it gets a name, or a reason."""
    assert set(BOUNDED) == OTHERS


@pytest.mark.parametrize("shape", ["empty objects", "objects and arrays by turns", "keys", "numbers", "escapes"])
def test_memory_of_json(shape: str) -> None:
    """A JSON value takes so many times the memory of its text as Python's smallest objects do."""
    check_memory(strict_json.loads, JSON[shape], size=1 << 18, most_per_byte=80)


def test_memory_of_items() -> None:
    """A result's items take memory in proportion to the result."""
    make = repeat('{"id":"i%d"}', head='{"items":[', tail="]}", joint=",")

    check_memory(read_items, make, size=1 << 18, most_per_byte=80)


@pytest.mark.parametrize("shape", ["a\n", "[]\n", "\n", "a"])
def test_memory_of_lines(shape: str) -> None:
    """A drop of lines is read line by line: what it holds together takes no memory."""
    read = drain(read_lines, Rules(max_bytes=1000))

    with contextlib.suppress(*DESERVED):
        check_memory(read, repeat(shape), size=1 << 19, most_per_byte=2)
