"""The bench of costs counts as AWS documents it, and docs/measurements.md says what it counted."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.harness.stack import ROOT

pytestmark = pytest.mark.long

UNITS = """
import json, sys
from costing.units import count_index_units, count_read_units, count_write_units, measure_item
item = {"key": {"S": "é"}, "n": {"N": "-12.30"}, "l": {"L": [{"S": "abc"}]}, "m": {"M": {"ab": {"BOOL": True}}}}
small, large = ({"a": {"S": "k"}, "p": {"S": "x"}, "o": {"S": "y" * n}} for n in (10, 3000))
moved = {**small, "p": {"S": "z"}}
whole = {"KeySchema": [{"AttributeName": "p"}], "Projection": {"ProjectionType": "ALL"}}
keys = {"KeySchema": [{"AttributeName": "p"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}
print(json.dumps({
    "size": measure_item(item),
    "set": measure_item({"s": {"SS": ["ab", "c"]}}),
    "writes": [count_write_units(size) for size in (0, 1024, 1025)],
    "reads": [count_read_units(size, consistent=True) for size in (0, 4096, 4097)],
    "lazy read": count_read_units(4097, consistent=False),
    "index": [
        count_index_units([whole], ["a"], None, small),
        count_index_units([whole], ["a"], small, large),
        count_index_units([keys], ["a"], small, large),
        count_index_units([keys], ["a"], small, moved),
        count_index_units([keys], ["a"], small, {"a": {"S": "k"}}),
        count_index_units([whole], ["a"], small, small),
    ],
}))
"""
QUEUE = """
import json
from costing.meter import count_queue_requests as count
print(json.dumps([count("q", []), count("q", ["x" * 65_536]), count("q.fifo", ["x" * 65_537])]))
"""
TABLES = """
import sys
from costing.bill import read_recorded
from costing.tables import DOCUMENT, write_tables
text = DOCUMENT.read_text(encoding="utf-8")
sys.exit(0 if write_tables(text, *read_recorded()) == text else "run bench/cost.py --write")
"""
PAGES = """
import json
from costing.bill import Rates, read_recorded
from costing.watching import BUSY, QUIET, QUIET_TAB, bill_watches
stories, settings = read_recorded()
bills = bill_watches(stories, Rates(settings))
print(json.dumps([bills[watch]._asdict() for watch in (QUIET_TAB, QUIET, BUSY)]))
"""
COUNT = "from cost import count_again; count_again()"


def run(program: str) -> str:
    """Run a program in the folder of the benches; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT / "bench", capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_units_are_those_of_the_developer_guide() -> None:
    """Items, reads, writes and writes of indexes have the sizes and units that DynamoDB documents."""
    units: dict[str, Any] = json.loads(run(UNITS))

    assert units["size"] == (3 + 2) + (1 + 3) + (1 + 3 + 1 + 3) + (1 + 3 + 1 + 2 + 1)
    assert units["set"] == 1 + 3
    assert units["writes"] == [1, 1, 2]
    assert (units["reads"], units["lazy read"]) == ([1, 1, 2], 1)
    # New; larger, whole and only its keys; another key: one entry goes, one comes; gone; unchanged.
    assert units["index"] == [1, 3, 0, 2, 1, 0]


def test_requests_of_queues_are_counted_by_64_kilobytes() -> None:
    """A request with nothing in it is one, and each 64 KB more are one more."""
    assert json.loads(run(QUEUE)) == [{"SQS requests": 1}, {"SQS requests": 1}, {"SQS FIFO requests": 2}]


def test_document_has_the_recorded_figures() -> None:
    """The tables of docs/measurements.md are made of what was recorded."""
    run(TABLES)


def test_open_pages_cost_what_they_may() -> None:
    """At most $0.30 a quiet page and month, own place included, and $8 for 10,000 viewers for two hours."""
    tab, quiet, busy = json.loads(run(PAGES))

    assert 0 < tab["dollars"] <= 0.30
    assert tab["places"] == 1
    assert 0 < quiet["dollars"] <= 8
    assert 0 < busy["dollars"] <= 8
    assert busy["changed"] == busy["asks"], "each answer of a busy board is a whole head"


def test_record_is_what_is_counted_today() -> None:
    """A submission makes the calls and units that are recorded; how long it takes is not compared."""
    run(COUNT)
