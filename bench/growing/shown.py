"""The one place of this bench that knows how the product publishes a board and how its files are read."""

from collections.abc import Collection

from growing.before.models import Rows
from growing.crowds import Crowd

from aggregate.rebuilder import Rebuilder


def publish(crowd: Crowd, players: Collection[str] | None) -> None:
    """Publish the board after the standings of these players, or of all, have changed."""
    crowd.aggregator.publisher.publish(crowd.board, players)


def read_shown_rows(crowd: Crowd) -> Rows:
    """Return all rows that the board shows."""
    rows = Rebuilder(crowd.aggregator).read_rows(crowd.board.benchmark)
    return Rows.model_validate(rows.model_dump(exclude={"label"}))


def read_directory(crowd: Crowd) -> str | None:
    """Return the name of the directory, which changes when waiting changes are worked in; None if none ever wait."""
    head = crowd.aggregator.snapshots.read_head(crowd.board.benchmark)
    pages = head and getattr(head.value, "pages", None)
    return pages and pages.directory
