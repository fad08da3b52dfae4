"""Folding into several boards at once: one entry a submission, boards that begin, and rows that cannot be folded."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from scoring_core.benchmarks.definition import Keep, Ranking
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import FoldingRules
from storage.boards.entries import BoardEntry, BoardEntryStore
from storage.boards.folding import StandingFolder, _Fold
from storage.boards.standings import BoardKey, StandingStore, standing_key
from storage.gateway.conditions import Between, Put, Query
from storage.gateway.errors import Conflict
from storage.submissions.models import PlayerKind
from tests.contract.conftest import intercept
from tests.harness.factories import make_player
from tests.harness.plain_boards import PlainBoard, make_version

MAIN = BoardKey("coin-run", "0123456789abcdef")
ANNA = make_player("anna", "Anna")
COLUMNS = ScoreType.model_validate({"headers": [{"name": "Coins", "type": "int"}]})
BEST, SUM = (FoldingRules(Ranking(keep=keep, by=("Coins",)), COLUMNS) for keep in (Keep.BEST, Keep.SUM))


def begin(board: str, since: int = 1, **given: Any) -> PlainBoard:
    """Return a board that began with a publishing, and sums."""
    return PlainBoard(MAIN._replace(board=board, since=since), SUM, since, **given)


BESTS, SUMS, LABELS, LATE = PlainBoard(MAIN, BEST), begin("sums"), begin("labels", has_labels=True), begin("sums", 2)
ALL = (BESTS, SUMS, LABELS)
ONE, THREE, LATER = make_version(BESTS), make_version(*ALL), make_version(BESTS, LATE, publish_number=2)


def entry(submission: str, coins: int, **changes: Any) -> BoardEntry:
    """Return an entry of Anna's."""
    defaults: dict[str, Any] = {"player": ANNA, "record_revision": 1, "scores": {"": {"Coins": coins}}, "label": "x"}
    return BoardEntry(**{**defaults, "submission": submission, **changes})


def coins_of(standings: StandingStore, board: PlainBoard) -> dict[str, int | float]:
    """Read the coins of each row."""
    state = standings.read_board(board.key, None)
    return {row: stored.standing.scores["Coins"] for row, stored in state.standings.items()}


def read_anchor(standings: StandingStore) -> tuple[int, int]:
    """Read which publishing a writer knew, and up to which all boards have begun."""
    item = standings.table.get_item(board=str(MAIN), item=standing_key("anna"))
    assert item is not None
    return int(item["seen"]["N"]), int(item["begun"]["N"])


def test_submission_is_one_transaction_with_one_entry(standings: StandingStore) -> None:
    """However many boards take it, and those that do not have no row."""
    sizes: list[int] = []

    def write(table: str, puts: Sequence[Put]) -> None:
        sizes.append(len(puts))
        standings.table.client.transact(table, puts)

    models = begin("models", kind=PlayerKind.MODEL)
    version = make_version(*ALL, models)
    folder = StandingFolder(BoardEntryStore(intercept(standings.table, transact=write)))

    folded = [folder.fold(version, [each]) for each in (entry("s1", 5), entry("s2", 3, label="y"))]

    assert sizes == [4, 4]
    assert [coins_of(standings, board) for board in (*ALL, models)] == [
        {"anna": 5},
        {"anna": 8},
        {"anna/x": 5, "anna/y": 3},
        {},
    ]
    assert [each.submission for each in BoardEntryStore(standings.table).list_all(MAIN)] == ["s1", "s2"]
    assert [(each.rows[SUMS.key], each.is_new) for each in folded] == [({"anna"}, True), ({"anna"}, False)]
    state = folded[1].read_state(SUMS.key)
    assert state is not None
    assert state.standings.keys() == {"anna"}


def test_who_does_not_know_a_board_that_began_adds_nothing(standings: StandingStore) -> None:
    """A worker of an earlier publishing is refused, whether a submission or the keeper came first."""
    folder = StandingFolder(BoardEntryStore(standings.table))
    folder.fold(ONE, [entry("s1", 5)])

    folder.begin(LATER, ["anna"])
    with pytest.raises(Conflict, match="newer publishing"):
        folder.fold(ONE, [entry("s2", 3)])

    assert coins_of(standings, LATE) == {"anna": 5}
    assert [each.submission for each in BoardEntryStore(standings.table).list_all(MAIN)] == ["s1"]
    with pytest.raises(Conflict, match="newer publishing"):
        folder.begin(make_version(BESTS, begin("more", 9)), ["anna"])


def test_lost_standing_of_another_board_is_folded_from_its_entries(standings: StandingStore) -> None:
    """Although its board had begun for the player, a submission that is delivered again says that there is a past."""
    folder = StandingFolder(BoardEntryStore(standings.table))
    folder.fold(THREE, [entry("s1", 5), entry("s2", 3)])
    standings.table.delete(board=str(SUMS.key), item=standing_key("anna"))

    folder.fold(THREE, [entry("s2", 3)])

    assert coins_of(standings, SUMS) == {"anna": 8}


def test_entries_of_rows_are_read_after_their_standings(standings: StandingStore) -> None:
    """A result that comes once the entries are read is not lost where a standing would be read after that."""
    client = standings.table.client
    StandingFolder(BoardEntryStore(standings.table)).fold(THREE, [entry("s1", 5), entry("s2", 3, label="y")])
    rivals = [entry("s3", 1), entry("s4", 1, label="y")]

    def read_one_by_one(name: str, keys: Sequence[Mapping[str, str]]) -> Any:
        for key in keys:
            yield from client.get_many(name, [key])

    def query(name: str, asked: Query) -> Any:
        yield from client.query(name, asked)
        if isinstance(asked.sort, Between) and rivals:  # of entries
            StandingFolder(BoardEntryStore(standings.table)).fold(THREE, [*rivals])
            rivals.clear()

    table = intercept(standings.table, get_many=read_one_by_one, query=query)
    StandingFolder(BoardEntryStore(table)).refold_all(MAIN, LABELS, anyway=True)

    assert coins_of(standings, LABELS) == {"anna/x": 6, "anna/y": 4}


def test_player_begins_once(standings: StandingStore) -> None:
    """All rows of the boards that began are folded; then the anchor says so, and nothing is written again."""
    folder = StandingFolder(BoardEntryStore(standings.table))
    folder.fold(ONE, [entry(f"s{number}", number, label=f"step {number}") for number in range(30)])
    by_label = begin("labels", 2, has_labels=True)
    later = make_version(BESTS, LATE, by_label, publish_number=2)
    assert read_anchor(standings) == (1, 1)

    folder.begin(later, ["anna", "nobody"])

    assert len(coins_of(standings, by_label)) == 30
    assert coins_of(standings, LATE) == {"anna": sum(range(30))}
    assert read_anchor(standings) == (2, 2)
    assert list(standings.list_players(MAIN)) == [("anna", 2)]

    def fail(*_: Any) -> None:
        pytest.fail("written")

    silent = StandingFolder(BoardEntryStore(intercept(standings.table, put=fail, transact=fail)))
    silent.begin(later, ["anna", "nobody"])


def test_row_without_a_past_needs_no_entries(standings: StandingStore) -> None:
    """A first row of a label, or of a day, is not folded from all submissions of the player."""
    StandingFolder(BoardEntryStore(standings.table)).fold(THREE, [entry("s1", 5)])

    def fail(*_: Any) -> None:
        pytest.fail("queried")

    StandingFolder(BoardEntryStore(intercept(standings.table, query=fail))).fold(THREE, [entry("s2", 3, label="y")])

    assert coins_of(standings, LABELS) == {"anna/x": 5, "anna/y": 3}


@pytest.mark.parametrize("is_first", [True, False])
def test_row_that_cannot_be_folded_keeps_no_other_board_back(
    standings: StandingStore, monkeypatch: pytest.MonkeyPatch, *, is_first: bool
) -> None:
    """It is marked in the same transaction, shows what it showed, and a repeat folds it from all entries."""
    folder, sums = StandingFolder(BoardEntryStore(standings.table)), SUMS
    if not is_first:
        folder.fold(THREE, [entry("s1", 5)])
    with monkeypatch.context() as patch:
        _break(patch, sums)
        folded = folder.fold(THREE, [entry("s1", 5), entry("s2", 3, label="y")])

    assert {board: str(error) for board, error in folded.failed.items()} == {sums.key: "broken"}
    assert sums.key not in folded.rows
    assert coins_of(standings, LABELS) == {"anna/x": 5, "anna/y": 3}
    assert coins_of(standings, sums) == ({} if is_first else {"anna": 5})

    assert folder.fold(THREE, [entry("s2", 3, label="y")]).failed == {}
    assert coins_of(standings, sums) == {"anna": 8}


def test_marked_row_is_folded_with_its_board(standings: StandingStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fold of a board also folds the rows that are marked, although the rules are the same."""
    folder, sums = StandingFolder(BoardEntryStore(standings.table)), SUMS
    with monkeypatch.context() as patch:
        _break(patch, sums)
        folder.fold(THREE, [entry("s1", 5)])

    folder.refold_all(MAIN, sums)

    assert coins_of(standings, sums) == {"anna": 5}


@pytest.mark.parametrize("spoiled", ["accumulator", "removed", "name", "rules", "improvements"])
@pytest.mark.parametrize("number", [0, 1])
def test_standing_that_cannot_be_read_is_folded_from_all_entries(
    standings: StandingStore, spoiled: str, number: int
) -> None:
    """It is written as new, on the main board too, and keeps no other one back."""
    folder, board = StandingFolder(BoardEntryStore(standings.table)), ALL[number]
    folder.fold(THREE, [entry("s1", 5)])
    key = {"board": str(board.key), "item": standing_key("anna")}
    item = dict(standings.table.get_item(**key) or {})
    item.pop(spoiled) if spoiled == "name" else item.update({spoiled: {"S": "?"}})
    standings.table.client.put_item(TableName=standings.table.name, Item=item)

    folded = folder.fold(THREE, [entry("s2", 3)])

    assert folded.failed == {}
    assert [coins_of(standings, each) for each in ALL] == [{"anna": 5}, {"anna": 8}, {"anna/x": 8}]
    assert (
        folder.fold(
            make_version(BESTS, SUMS._replace(rules=BEST, publish_number=2), publish_number=2), [entry("s3", 9)]
        ).failed
        == {}
    )
    assert coins_of(standings, SUMS) == {"anna": 9}


def _break(patch: pytest.MonkeyPatch, board: PlainBoard) -> None:
    """Let the folding of a board's rows fail."""
    fold = _Fold._fold_row

    def act(self: _Fold, key: Any, *arguments: Any) -> Any:
        if key.board == board.key:
            raise ValueError("broken")
        return fold(self, key, *arguments)

    patch.setattr(_Fold, "_fold_row", act)
