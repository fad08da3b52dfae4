"""Labels: a player has at most a hundred on a benchmark, and one that was used before costs a read alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from local.template import Template
from storage.gateway.table import Table
from storage.submissions.labels import MAX_LABELS, LabelStore
from tests.contract.conftest import intercept
from tests.harness.raw_cloud import RawCloud

LABELS = [f"step {number}" for number in range(MAX_LABELS)]


@pytest.fixture
def labels(cloud: RawCloud, template: Template) -> LabelStore:
    """The store of labels."""
    return LabelStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


def test_label_that_was_used_costs_one_read(labels: LabelStore) -> None:
    """No write follows the read."""
    labels.admit("tiny", "ada", ["step 1"])
    watched = intercept(labels.table)

    assert LabelStore(watched).admit("tiny", "ada", ["step 1"]) == {"step 1"}

    assert [name for name, _, _ in watched.client.method_calls] == ["get"]  # type: ignore[attr-defined]  # a mock


def test_concurrent_players_do_not_exceed_the_limit(labels: LabelStore) -> None:
    """Of 20 new labels that compete for the last five places, five are admitted."""
    labels.admit("tiny", "ada", LABELS[:95])

    with ThreadPoolExecutor(4) as pool:
        admitted = list(pool.map(lambda number: labels.admit("tiny", "ada", [f"new {number}"]), range(20)))

    assert sum(map(len, admitted)) == 5
    assert len(labels._read("tiny", "ada")) == MAX_LABELS
