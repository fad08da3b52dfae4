"""The list of a benchmark's boards, the progress of those that begin, and the numbers of boards in the pointer."""

from collections.abc import Callable
from typing import Any

import pytest

from local.template import Template
from storage.benchmarks.board_lists import BoardListStore, BoardsFile, ListedBoard, RetiredBoard
from storage.benchmarks.progress import Progress, ProgressStore, Reached
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Conflict
from storage.gateway.table import Table
from tests.contract.conftest import COIN_RUN
from tests.harness.raw_cloud import RawCloud
from tests.harness.stack import make_benchmark

BY_LABEL = {"by": ["Coins"], "rows": "label"}


@pytest.fixture
def progress(cloud: RawCloud, template: Template) -> ProgressStore:
    """The store of the progress in boards that began."""
    return ProgressStore(Table(cloud.dynamodb, template.resources["BoardsTable"].name))


@pytest.fixture
def lists(cloud: RawCloud, template: Template) -> BoardListStore:
    """The store of the lists of boards."""
    return BoardListStore(Bucket(cloud.objects, template.resources["SiteBucket"].name))


@pytest.fixture
def publish(benchmarks: BenchmarkStore) -> Callable[..., PublishedBenchmark]:
    """Publish coin-run with some keys changed."""

    def publish(**changes: Any) -> PublishedBenchmark:
        return benchmarks.publish(make_benchmark(COIN_RUN, title="Coin Run", **changes))

    return publish


def numbers(published: PublishedBenchmark) -> dict[str, tuple[int, int]]:
    """Return, for each board, since when it has the same rows, and the publish number that last changed it."""
    return {str(key.board): (key.since, revision) for key, _, revision in published.boards}


def test_progress_of_a_later_publishing_stays(progress: ProgressStore) -> None:
    """A keeper that still works for an earlier publishing does not set it back."""
    main = BoardKey("coin-run", "0123456789abcdef")
    assert progress.read(Reached.BEGUN_BOARDS, main) is None

    for each in (Progress(3, "ada"), Progress(2, "bob")):
        progress.put(Reached.BEGUN_BOARDS, main, each)
    assert progress.read(Reached.BEGUN_BOARDS, main) == Progress(3, "ada")

    progress.put(Reached.BEGUN_BOARDS, main, Progress(3))
    assert progress.read(Reached.BEGUN_BOARDS, main) == Progress(3)


def test_list_is_replaced_only_if_nobody_else_did(lists: BoardListStore) -> None:
    """Two writers do not lose what the other one retired."""
    boards = BoardsFile(id="coin-run", version="a", boards=(ListedBoard(id="main", title=None),))
    lists.put(boards, replacing=None)
    before = lists.find("coin-run")
    assert before is not None
    lists.put(boards, replacing=before)
    lists.put(boards.model_copy(update={"version": "b"}), replacing=lists.find("coin-run"))

    with pytest.raises(Conflict):
        lists.put(boards, replacing=before)

    lists.delete("coin-run")
    assert lists.find("coin-run") is None


def test_board_of_labels_never_meets_rows_of_players(publish: Callable[..., PublishedBenchmark]) -> None:
    """Its key has a number from the beginning: the version may have been published before with other rows."""
    assert numbers(publish(ranking=BY_LABEL)) == {"main": (1, 1)}


def test_first_key_of_the_main_board_is_never_deleted(publish: Callable[..., PublishedBenchmark]) -> None:
    """A version that is published again begins under it; a later key of the main board is retired as any other."""
    first, labels, players = publish(), publish(ranking=BY_LABEL), publish()
    listed = BoardsFile(id="coin-run", version=first.version, boards=()).follow(first.version, first.boards)

    by_label = listed.follow(labels.version, labels.boards)
    by_player = by_label.follow(players.version, players.boards)

    assert by_label.retired == ()
    assert by_player.retired == (RetiredBoard(id="main", version=first.version, since=2),)
