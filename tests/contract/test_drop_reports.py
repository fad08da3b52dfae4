"""Reports of drops: the first stands, but for one that says that we failed."""

from typing import Any

import pytest

from ledger.drop_reports import DropEntry, DropReport, DropReportStore, DropState
from local.cloud import Cloud
from local.template import Template

DROP = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
ENTRIES = (DropEntry(entry="line 1", submission=DROP), DropEntry(entry="line 2", error="empty"))


@pytest.fixture
def reports(cloud: Cloud, template: Template) -> DropReportStore:
    """The store of reports."""
    return DropReportStore(s3=cloud.s3, bucket=template.resources["ResultsBucket"].name)


def make_report(clock: Any, state: DropState = DropState.RECEIVED, entries: tuple[DropEntry, ...] = ()) -> DropReport:
    """Make a report."""
    return DropReport(
        drop=DROP,
        benchmark="coin-run",
        player="ada",
        key="drops/coin-run/ada/a.jsonl",
        version_id="v1",
        received_at=clock(),
        state=state,
        entries=entries,
    )


def test_nothing_yet(reports: DropReportStore) -> None:
    """A drop that was not read to its end has no report."""
    assert reports.find("coin-run", "ada", DROP) is None


def test_round_trip(reports: DropReportStore, clock: Any) -> None:
    """A report comes back as it was kept, with those entries that were refused."""
    report = make_report(clock, entries=ENTRIES)

    reports.put(report)

    found = reports.find("coin-run", "ada", DROP)
    assert found == report
    assert found.refusals == ENTRIES[1:]


@pytest.mark.parametrize(
    ("first", "second", "stands"),
    [
        (DropState.RECEIVED, DropState.RECEIVED, "first"),
        (DropState.RECEIVED, DropState.INTERNAL_ERROR, "first"),
        (DropState.QUARANTINED, DropState.RECEIVED, "first"),
        (DropState.INTERNAL_ERROR, DropState.INTERNAL_ERROR, "first"),
        (DropState.INTERNAL_ERROR, DropState.RECEIVED, "second"),
        (DropState.INTERNAL_ERROR, DropState.QUARANTINED, "second"),
    ],
)
def test_which_stands(reports: DropReportStore, clock: Any, first: DropState, second: DropState, stands: str) -> None:
    """The first report stands; only one that says that we failed gives way, to one that does not."""
    made = {"first": make_report(clock, first), "second": make_report(clock, second, ENTRIES)}
    reports.put(made["first"])

    told = reports.put(made["second"])

    assert told == reports.find("coin-run", "ada", DROP) == made[stands]
