"""Reports of drops: the first stands, but for one that says that we failed."""

import pytest

from local.template import Template
from storage.batches.reports import BatchEntry, BatchReportStore, BatchState
from storage.gateway.bucket import Bucket
from tests.harness.factories import make_batch_report
from tests.harness.raw_cloud import RawCloud

DROP = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
ENTRIES = (BatchEntry(entry="line 1", submission=DROP), BatchEntry(entry="line 2", error="empty"))


@pytest.fixture
def reports(cloud: RawCloud, template: Template) -> BatchReportStore:
    """The store of reports."""
    return BatchReportStore(Bucket(cloud.objects, template.resources["ResultsBucket"].name))


@pytest.mark.parametrize(
    ("first", "second", "stands"),
    [
        (BatchState.RECEIVED, BatchState.RECEIVED, "first"),
        (BatchState.RECEIVED, BatchState.INTERNAL_ERROR, "first"),
        (BatchState.QUARANTINED, BatchState.RECEIVED, "first"),
        (BatchState.INTERNAL_ERROR, BatchState.INTERNAL_ERROR, "first"),
        (BatchState.INTERNAL_ERROR, BatchState.RECEIVED, "second"),
        (BatchState.INTERNAL_ERROR, BatchState.QUARANTINED, "second"),
    ],
)
def test_first_report_wins_unless_it_is_an_internal_error(
    reports: BatchReportStore, first: BatchState, second: BatchState, stands: str
) -> None:
    """The first report stands; only one that says that we failed gives way, to one that does not."""
    made = {
        "first": make_batch_report(DROP, state=first),
        "second": make_batch_report(DROP, state=second, entries=ENTRIES),
    }
    reports.put(made["first"])

    told = reports.put(made["second"])

    assert told == reports.find("coin-run", "ada", DROP) == made[stands]
