"""Rebuilding: what records say, and nothing else, decides what a board becomes."""

import pytest

from aggregate.rebuilder import Rebuilder
from cli.rebuilding import rebuild
from ledger.benchmark_store import Published
from ledger.standing_store import BoardKey
from ledger.submissions import Record
from tests.integration.laboratory import COINS, Laboratory, make_benchmark, make_record, watching


@pytest.fixture
def published(laboratory: Laboratory) -> Published:
    """The coins benchmark."""
    return laboratory.publish(make_benchmark(COINS))


@pytest.fixture
def rebuilder(laboratory: Laboratory) -> Rebuilder:
    """What rebuilds."""
    return Rebuilder(laboratory.workshop, laboratory.submissions)


def record_all(laboratory: Laboratory, records: list[Record]) -> None:
    """Write the records, as evaluate does; nobody aggregates them."""
    for record in records:
        assert laboratory.submissions.put_record(record)


def records_of(published: Published) -> list[Record]:
    """Give three records of two players."""
    return [
        make_record(published, "Ada", {"Coins": 5, "Time": 1.0}, number=1),
        make_record(published, "Bea", {"Coins": 7, "Time": 2.0}, number=2),
        make_record(published, "Ada", {"Coins": 9, "Time": 3.0}, number=3),
    ]


def test_what_the_stream_never_delivered(laboratory: Laboratory, published: Published, rebuilder: Rebuilder) -> None:
    """A board is made from the records alone, records over time included."""
    record_all(laboratory, records_of(published))

    report = rebuild(rebuilder, "coins", dry_run=False)

    rows = laboratory.rows()
    assert (rows.name, rows.rank, rows.submissions) == (("Ada", "Bea"), (1, 2), (2, 1))
    assert [step[1] for step in laboratory.head().best_over_time] == [5, 7, 9]
    assert [(one.name, one.rank_before, one.rank_after) for one in report.changes] == [
        ("Ada (guest)", None, 1),
        ("Bea (guest)", None, 2),
    ]


def test_lost_items_come_back(laboratory: Laboratory, published: Published, rebuilder: Rebuilder) -> None:
    """Contributions and standings that were lost are made again, and the board is as it was."""
    record_all(laboratory, records_of(published))
    rebuild(rebuilder, "coins", dry_run=False)
    before = laboratory.board()
    table = laboratory.template.resources["BoardsTable"].name
    for item in laboratory.items("BoardsTable"):
        laboratory.cloud.dynamodb.delete_item(TableName=table, Key={name: item[name] for name in ("board", "item")})

    report = rebuild(rebuilder, "coins", dry_run=False)

    assert laboratory.board() == before
    assert report.changes == []


def test_again(laboratory: Laboratory, published: Published, rebuilder: Rebuilder) -> None:
    """A rebuild of what is right writes nothing to the site."""
    record_all(laboratory, records_of(published))
    rebuild(rebuilder, "coins", dry_run=False)

    with watching(laboratory.cloud.s3, "PutObject") as writes:
        rebuild(rebuilder, "coins", dry_run=False)

    assert writes == []


def test_dry_run(laboratory: Laboratory, published: Published, rebuilder: Rebuilder) -> None:
    """A dry run tells what a rebuild would change, and writes nothing."""
    record_all(laboratory, records_of(published))
    items = laboratory.items("BoardsTable")

    with watching(laboratory.cloud.s3, "PutObject") as writes:
        would = rebuild(rebuilder, "coins", dry_run=True)

    assert writes == []
    assert laboratory.items("BoardsTable") == items
    assert would.changes == rebuild(rebuilder, "coins", dry_run=False).changes


def test_other_versions(laboratory: Laboratory, published: Published, rebuilder: Rebuilder) -> None:
    """Records under another version are not on the board."""
    _, *others = records_of(published)
    record_all(laboratory, others)
    laboratory.submissions.put_record(
        make_record(published.model_copy(update={"version": "0" * 16}), "Cem", {}, number=9)
    )

    rebuild(rebuilder, "coins", dry_run=False)

    assert set(laboratory.rows().name) == {"Ada", "Bea"}


def test_beside_the_stream(laboratory: Laboratory, published: Published, rebuilder: Rebuilder) -> None:
    """A record that is aggregated while a rebuild reads stays on the board."""
    record_all(laboratory, records_of(published))
    late = make_record(published, "Cem", {"Coins": 8, "Time": 1.0}, number=4)
    steps = rebuilder.add_contributions(_board(published))
    next(steps)
    laboratory.submissions.put_record(late)
    laboratory.workshop.aggregator.add_contributions(late)
    laboratory.workshop.bring_up(_board(published), ["guest-cem"])

    list(steps)
    laboratory.workshop.rebuild(_board(published))

    assert laboratory.rows().name == ("Ada", "Cem", "Bea")


def _board(published: Published) -> BoardKey:
    return BoardKey(published.id, published.version)
