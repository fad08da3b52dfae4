"""Publishing: races are lost without losing rows, what is replaced goes in time, a new definition shows at once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from aggregate.publisher import MAX_TRIES
from ledger.benchmark_store import Published
from ledger.errors import Busy
from ledger.standing_store import BoardKey
from tests.integration.laboratory import (
    COINS,
    Clock,
    Laboratory,
    build_workshop,
    failing,
    make_benchmark,
    make_record,
)


@dataclass
class Interrupted:
    """An S3 client that lets somebody else go first, once for each of these, before a key is written."""

    s3: Any
    key: str
    others: list[Callable[[], None]] = field(default_factory=list)

    def put_object(self, **parameters: Any) -> Any:
        """Put an object, perhaps too late."""
        if parameters["Key"] == self.key and self.others:
            self.others.pop(0)()
        return self.s3.put_object(**parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.s3, name)


HEAD = "data/b/coins/head.json"
INDEX = "data/index.json"


@pytest.fixture
def published(laboratory: Laboratory) -> Published:
    """The benchmark `coins`."""
    return laboratory.publish(make_benchmark(COINS))


def test_two_publishers(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """Where another head was published between reading and writing, both changes are on the board."""
    slow = Interrupted(laboratory.cloud.s3, HEAD, [lambda: _score(laboratory, published, "Bob", 7)])

    _score(laboratory, published, "Ada", 5, s3=slow)

    assert laboratory.rows().name == ("Bob", "Ada")
    assert laboratory.head().rows == laboratory.rows()
    assert laboratory.head().sequence == 3
    assert slow.others == []


def test_orphans_of_lost_races(laboratory: Laboratory, published: Published) -> None:
    """Of the rows files that were written for lost races none is left; those that heads named wait their time."""
    others = [lambda name=name: _score(laboratory, published, name, 7) for name in ("Bob", "Cy", "Dee")]
    slow = Interrupted(laboratory.cloud.s3, HEAD, [*others])

    _score(laboratory, published, "Ada", 5, s3=slow)

    head = laboratory.head()
    assert laboratory.rows().name == ("Bob", "Cy", "Dee", "Ada")
    assert len(head.replaced) == 4
    assert _rows_files(laboratory) == sorted({head.rows_url[1:], *(one.key for one in head.replaced)})


def test_the_winner_wrote_the_same(laboratory: Laboratory, published: Published) -> None:
    """Where the winner published the very same rows nothing is left to do, and the file that both wrote stays."""
    slow = Interrupted(laboratory.cloud.s3, HEAD, [lambda: _publish(laboratory, published, "Ada")])

    _score(laboratory, published, "Ada", 5, s3=slow)

    assert laboratory.head().sequence == 2
    assert laboratory.rows().name == ("Ada",)


def test_too_many_races(laboratory: Laboratory, published: Published) -> None:
    """Who loses every race gives up as busy, and is retried."""
    others = [lambda n=n: _score(laboratory, published, f"P{n}", n) for n in range(MAX_TRIES)]
    slow = Interrupted(laboratory.cloud.s3, HEAD, [*others])

    with pytest.raises(Busy, match="lost 20 races"):
        _score(laboratory, published, "Ada", 5, s3=slow)

    assert len(laboratory.rows().name) == MAX_TRIES


def test_two_boards_and_one_index(laboratory: Laboratory, published: Published) -> None:
    """Where another board's entry was published between reading and writing, the index has both."""
    other = laboratory.publish(make_benchmark(COINS, id="other"))
    slow = Interrupted(laboratory.cloud.s3, INDEX, [lambda: _score(laboratory, other, "Bob", 7)])

    _score(laboratory, published, "Ada", 5, s3=slow)

    assert [(one.id, one.leader) for one in laboratory.index().benchmarks] == [("coins", ("Ada",)), ("other", ("Bob",))]


def test_a_late_entry_of_the_index(laboratory: Laboratory, published: Published) -> None:
    """An entry of an older head never replaces that of a newer one."""
    slow = Interrupted(laboratory.cloud.s3, INDEX, [lambda: _score(laboratory, published, "Bob", 7)])

    _score(laboratory, published, "Ada", 5, s3=slow)

    (entry,) = laboratory.index().benchmarks
    assert entry.leader == ("Bob",)
    assert entry.sequence == laboratory.head().sequence == 3


def test_a_crash_between_head_and_index(laboratory: Laboratory, published: Published) -> None:
    """The next delivery of the same record brings the index up to the head."""
    with (
        failing(laboratory.cloud.s3, "PutObject", about=INDEX, code="AccessDenied", status=403),
        pytest.raises(Exception, match="refused by the test"),
    ):
        _score(laboratory, published, "Ada", 5)
    behind = laboratory.index().benchmarks[0].sequence

    _publish(laboratory, published, "Ada")

    (entry,) = laboratory.index().benchmarks
    assert behind == 1
    assert (entry.sequence, entry.leader) == (2, ("Ada",))


def test_a_crash_before_the_badge(laboratory: Laboratory, published: Published) -> None:
    """The index comes last: while a badge is behind its head, so is the card, and the schedule sees it."""
    with (
        failing(laboratory.cloud.s3, "PutObject", about="badge.json", code="AccessDenied", status=403),
        pytest.raises(Exception, match="refused by the test"),
    ):
        _score(laboratory, published, "Ada", 5)

    (entry,) = laboratory.index().benchmarks

    assert entry.sequence < laboratory.head().sequence


def test_a_crash_between_rows_and_head(laboratory: Laboratory, published: Published) -> None:
    """Readers see the former head with the former rows until both are written."""
    with (
        failing(laboratory.cloud.s3, "PutObject", about=HEAD, code="AccessDenied", status=403),
        pytest.raises(Exception, match="refused by the test"),
    ):
        _score(laboratory, published, "Ada", 5)
    before = laboratory.rows()

    _publish(laboratory, published, "Ada")

    assert before.name == ()
    assert laboratory.rows().name == ("Ada",)


def test_more_than_the_head_shows(laboratory: Laboratory, published: Published) -> None:
    """The head holds the first hundred rows, the rows file all; a change far down leaves the others as they are."""
    workshop = laboratory.workshop
    for number in range(103):
        workshop.aggregator.add_contributions(_record(published, f"P{number:03}", 1000 - number, number=number))
    workshop.rebuild(BoardKey("coins", published.version))
    first = laboratory.rows()

    _score(laboratory, published, "P101", 999, number=500)

    head, rows = laboratory.head(), laboratory.rows()
    assert (len(first.name), len(head.rows.name), head.total, len(rows.name)) == (103, 100, 103, 103)
    assert rows.name[:4] == ("P000", "P001", "P101", "P002")
    assert rows.rank[:4] == (1, 2, 2, 4)
    assert head.rows.name == rows.name[:100]
    assert head.rows.scores["Coins"] == rows.scores["Coins"][:100]
    assert set(rows.name) == set(first.name)


def test_a_rows_file_that_is_gone(laboratory: Laboratory, published: Published) -> None:
    """Where the rows cannot be read they are made anew from the standings."""
    workshop = laboratory.workshop
    for number in range(102):
        workshop.aggregator.add_contributions(_record(published, f"P{number:03}", 1000 - number, number=number))
    workshop.rebuild(BoardKey("coins", published.version))
    laboratory.cloud.s3.delete_object(Bucket=laboratory.site_bucket, Key=laboratory.head().rows_url[1:])

    _score(laboratory, published, "Ada", 5000)

    assert len(laboratory.rows().name) == 103


def test_replaced_rows_files(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """A rows file lives for ten minutes after its head was replaced, and goes with the next publishing."""
    first = laboratory.head().rows_url[1:]
    _score(laboratory, published, "Ada", 5)
    clock.advance(minutes=9, seconds=59)
    _score(laboratory, published, "Bob", 6)
    still_there = _rows_files(laboratory)
    clock.advance(seconds=1)

    _score(laboratory, published, "Cy", 7)

    head = laboratory.head()
    assert first in still_there
    assert first not in _rows_files(laboratory)
    assert [one.key for one in head.replaced] == [key for key in still_there if key != first]
    assert len(_rows_files(laboratory)) == 3


def test_a_new_title(laboratory: Laboratory, published: Published) -> None:
    """A changed text shows at once, on the board and in the index, and changes no row."""
    _score(laboratory, published, "Ada", 5)
    rows = laboratory.rows()

    anew = laboratory.publish(make_benchmark(COINS, title="Coins, anew"))

    assert anew.version == published.version
    assert (laboratory.head().title, laboratory.index().benchmarks[0].title) == ("Coins, anew", "Coins, anew")
    assert laboratory.rows() == rows


def test_published_without_a_change(laboratory: Laboratory, published: Published) -> None:
    """The same benchmark published again leaves the board as it is."""
    _score(laboratory, published, "Ada", 5)
    before = laboratory.head()

    laboratory.publish(make_benchmark(COINS))

    assert laboratory.head() == before


def test_a_new_ranking(laboratory: Laboratory, published: Published) -> None:
    """A changed ranking is applied to the standings that are there, at once."""
    _score(laboratory, published, "Ada", 5, time=1.0)
    _score(laboratory, published, "Bob", 7, time=9.0)

    laboratory.publish(make_benchmark(COINS, ranking={"keep": "best", "combine": "sum", "by": ["Time"]}))

    assert laboratory.rows().name == ("Ada", "Bob")
    assert laboratory.index().benchmarks[0].primary.id == "Time"
    assert "ranked by Time (lower is better)" in laboratory.head().rank_rule


def test_a_new_version(laboratory: Laboratory, published: Published) -> None:
    """Another version starts with an empty board; late records of the former one do not come back to it."""
    _score(laboratory, published, "Ada", 5)
    anew = laboratory.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))
    empty = laboratory.rows()

    _score(laboratory, published, "Bob", 7)
    _score(laboratory, anew, "Cy", 1)

    assert anew.version != published.version
    assert empty.name == ()
    assert laboratory.rows().name == ("Cy",)
    assert laboratory.head().version == anew.version


def test_back_to_a_former_version(laboratory: Laboratory, published: Published) -> None:
    """Published again, a version has its standings back, with what came late while it was not shown."""
    _score(laboratory, published, "Ada", 5)
    laboratory.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))
    _score(laboratory, published, "Bob", 7)

    laboratory.publish(make_benchmark(COINS))

    assert laboratory.rows().name == ("Bob", "Ada")


def test_an_outdated_publisher(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """A function that still remembers the former definition does not bring it back."""
    outdated = build_workshop(laboratory, clock)
    outdated.benchmarks.current("coins")
    laboratory.publish(
        make_benchmark(COINS, title="Anew", ranking={"keep": "latest", "combine": "sum", "by": ["Coins"]})
    )

    for number, coins in enumerate((9, 4)):
        outdated.aggregator.add_contributions(_record(published, "Ada", coins, number=number))
    outdated.bring_up(BoardKey("coins", published.version), {"guest-ada"})

    assert laboratory.head().title == "Anew"
    assert laboratory.rows().scores["Coins"] == (4,)


def test_rebuild_mends_a_board(laboratory: Laboratory, published: Published) -> None:
    """Rebuilding makes the rows from the standings, whatever the head says."""
    _score(laboratory, published, "Ada", 5)
    snapshots = laboratory.workshop.publisher.snapshots
    before = snapshots.read_head("coins")
    assert before is not None
    rows = before.value.rows.model_copy(update={"name": ("Mallory",), "scores": {"Coins": (99,), "Time": (0.0,)}})
    snapshots.write_head(before.value.model_copy(update={"rows": rows}), replacing=before)

    laboratory.workshop.rebuild(BoardKey("coins", published.version))

    assert laboratory.head().rows == laboratory.rows()
    assert laboratory.rows().name == ("Ada",)


def test_published_while_records_come(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """A board that a record published in the middle of a rebuild, half of it folded, is right when that ends."""
    _score(laboratory, published, "Ada", 5, time=1.0)
    _score(laboratory, published, "Ada", 3, time=1.0, number=2)
    anew = laboratory.workshop.benchmarks.publish(
        make_benchmark(COINS, ranking={"keep": "latest", "combine": "sum", "by": ["Coins"]})
    )
    _score(laboratory, anew, "Bob", 1)
    half = laboratory.rows().scores["Coins"]

    laboratory.workshop.rebuild(BoardKey("coins", anew.version))

    assert half == (5, 1)
    assert laboratory.rows().scores["Coins"] == (3, 1)


def _record(published: Published, player: str, coins: int, *, number: int, time: float = 1.0) -> Any:
    return make_record(published, player, {"Coins": coins, "Time": time}, number=number)


def _score(
    laboratory: Laboratory,
    published: Published,
    player: str,
    coins: int,
    *,
    time: float = 1.0,
    number: int = 1,
    s3: Any = None,
) -> None:
    """Let a player score, and publish the board."""
    laboratory.workshop.aggregator.add_contributions(_record(published, player, coins, number=number, time=time))
    _publish(laboratory, published, player, s3=s3)


def _publish(laboratory: Laboratory, published: Published, player: str, *, s3: Any = None) -> None:
    workshop = build_workshop(laboratory, laboratory.workshop.publisher.clock, s3=s3)
    workshop.bring_up(BoardKey(published.id, published.version), {f"guest-{player.lower()}"})


def _rows_files(laboratory: Laboratory) -> list[str]:
    return laboratory.keys(laboratory.site_bucket, "data/b/coins/rows.")
