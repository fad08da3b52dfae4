"""The one place of this bench that knows how the product publishes a board and how its files are read."""

from collections.abc import Collection

from growing.before.models import Rows
from growing.crowds import Crowd


def publish(crowd: Crowd, players: Collection[str] | None) -> None:
    """Publish the board after the standings of these players, or of all, have changed."""
    crowd.aggregator.publisher.publish(crowd.board.benchmark, version=crowd.board.version, players=players)


def read_shown_rows(crowd: Crowd) -> Rows:
    """Return all rows that the board shows."""
    snapshots = crowd.aggregator.snapshots
    head = snapshots.read_head(crowd.board.benchmark)
    assert head is not None
    return Rows.model_validate(snapshots.read_rows(head.value.rows_url).model_dump())


def read_directory(crowd: Crowd) -> str | None:
    """Return the name of the directory, which changes when waiting changes are worked in; None if none ever wait."""
    head = crowd.aggregator.snapshots.read_head(crowd.board.benchmark)
    pages = head and getattr(head.value, "pages", None)
    return pages and pages.directory
