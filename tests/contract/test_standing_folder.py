"""Folding entries into standings on DynamoDB: what is stored, and what it costs."""

import json
from collections.abc import Iterable
from copy import replace
from typing import Any
from unittest.mock import Mock

import pytest

from scoring_core.benchmarks.definition import Keep, Ranking
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import FoldingRules
from scoring_core.scorers.base import Evaluation
from storage.boards import folded_standings, folding
from storage.boards.entries import BoardEntry, BoardEntryStore, RecordedEntries
from storage.boards.folded_standings import read_folded_standing
from storage.boards.folding import FoldedRows, StandingFolder
from storage.boards.standings import BoardKey, PlayerStanding, StandingStore, WithdrawalNotice, standing_key
from storage.gateway.aws import AwsTables
from storage.gateway.conditions import Item
from storage.gateway.errors import Busy, Conflict, NewerSchema
from storage.gateway.schema import Schema, unmarshal
from storage.gateway.table import MAX_WRITES, Tables
from storage.submissions.decisions import ReviewStore, WithdrawalStore
from storage.submissions.models import NAMELESS
from storage.submissions.store import SubmissionStore
from tests.contract.conftest import intercept
from tests.harness.factories import NOON, make_guest, make_player, make_record, make_submission, make_withdrawal
from tests.harness.plain_boards import PlainBoard, make_version

BOARD = BoardKey("coin-run", "0123456789abcdef")
ANNA = make_player("anna", "Anna")
COLUMNS = ScoreType.model_validate({"headers": [{"name": "Coins", "type": "int"}]})
BEST, SUM = (FoldingRules(Ranking(keep=keep, by=("Coins",)), COLUMNS) for keep in (Keep.BEST, Keep.SUM))
NOTICE = WithdrawalNotice(NOON, "s1", "played twice")


def entry(submission: str, coins: int, **changes: Any) -> BoardEntry:
    """Return an entry of Anna's."""
    defaults: dict[str, Any] = {"player": ANNA, "record_revision": 1, "scores": {"": {"Coins": coins}}}
    return BoardEntry(**{**defaults, "submission": submission, **changes})


def withdraw(withdrawn: BoardEntry) -> BoardEntry:
    """Return the entry after its withdrawal."""
    notice = NOTICE._replace(submission=withdrawn.submission)
    return withdrawn._replace(record_revision=withdrawn.record_revision + 1, withdrawn=True, notice=notice)


def make_folder(standings: StandingStore, **operations: Any) -> StandingFolder:
    """Return a folder; `operations` replace those of the client."""
    return StandingFolder(BoardEntryStore(intercept(standings.table, **operations)))


def fold(
    standings: StandingStore, *entries: BoardEntry, rules: FoldingRules = SUM, publish_number: int = 1
) -> StandingFolder:
    """Fold entries, and return the folder."""
    folder = make_folder(standings)
    fold_into(folder, entries, rules=rules, publish_number=publish_number)
    return folder


def fold_into(
    folder: StandingFolder, entries: Iterable[BoardEntry], *, rules: FoldingRules = SUM, publish_number: int = 1
) -> FoldedRows:
    """Fold entries into one board, and raise the first error of a row or a player."""
    version = make_version(PlainBoard(BOARD, rules, publish_number), publish_number=publish_number)
    folded = folder.fold(version, entries)
    for error in folded.failed.values():
        raise error
    return folded


def standing_of(standings: StandingStore, player: str = "anna") -> PlayerStanding | None:
    """Read one standing."""
    return standings.read_board(BOARD, [player]).standings.get(player)


def coins_of(standings: StandingStore) -> tuple[int | float, int] | None:
    """Return Anna's coins, and of how many submissions."""
    shown = standing_of(standings)
    return (shown.standing.scores["Coins"], shown.standing.submissions) if shown else None


@pytest.mark.parametrize("is_seen", [False, True])
def test_standing_and_entries_are_written_together_or_not_at_all(standings: StandingStore, *, is_seen: bool) -> None:
    """If the entry is not, or no longer, what was read, the standing is not written either."""
    fold(standings, entry("s1", 5))
    earlier = standings.table.get_item(board=str(BOARD), item="entry#anna#s1")
    fold(standings, withdraw(entry("s1", 5)))
    stale = make_folder(standings, get_many=_with_entry(standings, earlier if is_seen else None))
    restored = entry("s1", 5, record_revision=3)

    with pytest.raises(Busy, match="lost 20 races"):
        fold_into(stale, [restored], rules=replace(SUM, with_improvements=False), publish_number=1)

    assert coins_of(standings) is None
    assert list(BoardEntryStore(standings.table).list_player(BOARD, "anna")) == [withdraw(entry("s1", 5))]


@pytest.mark.parametrize("item", ["player#anna", "entry#anna#s1"])
def test_what_newer_code_wrote_is_not_overwritten(standings: StandingStore, item: str) -> None:
    """If a standing or an entry is of a schema that this code does not know, nothing is written."""
    fold(standings, entry("s1", 5))
    stored = standings.table.get_item(board=str(BOARD), item=item)
    assert stored is not None
    newer = {**stored, "schema": {"N": "9"}}
    standings.table.client.put_item(TableName=standings.table.name, Item=newer)

    def read(*asked: Any) -> Any:
        items = standings.table.client.get_many(*asked)
        return [stored if each["item"]["S"] == item else each for each in items]

    folder = make_folder(standings, get_many=read)
    with pytest.raises(NewerSchema):
        fold_into(folder, [withdraw(entry("s1", 5))], rules=SUM, publish_number=1)

    assert standings.table.get_item(board=str(BOARD), item=item) == newer


def test_entry_without_its_standing_is_read_once_it_is_in_the_way(standings: StandingStore) -> None:
    """An interrupted erasure leaves one, and no standing that says up to which submission entries may be stored."""
    fold(standings, entry("s1", 5))
    standings.table.delete(board=str(BOARD), item="player#anna")

    fold(standings, withdraw(entry("s1", 5)))

    assert coins_of(standings) is None


def _with_entry(standings: StandingStore, entry: Item | None) -> Any:
    """Return a read that sees this entry, or none, instead of those that are stored."""

    def read(*asked: Any) -> Any:
        items = list(standings.table.client.get_many(*asked))
        kept = [each for each in items if not each["item"]["S"].startswith("entry#")]
        return kept if len(kept) == len(items) else [*kept, *([entry] if entry else [])]

    return read


@pytest.mark.parametrize("operation", ["get_many", "transact"])
@pytest.mark.parametrize("rules", [BEST, replace(SUM, with_improvements=False)])
def test_rival_between_two_calls(standings: StandingStore, rules: FoldingRules, operation: str) -> None:
    """A rival who folds the same submission and others before any call of a fold makes it count no less, no more."""
    fold(standings, entry("s0", 1), rules=rules)
    calls: list[str] = []

    def call(*asked: Any) -> Any:
        calls.append(operation)
        if len(calls) == 1:
            for submission in ("s1", "s2", "s3"):
                fold(standings, entry(submission, 10), rules=rules)
        return getattr(standings.table.client, operation)(*asked)

    fold_into(make_folder(standings, **{operation: call}), [entry("s1", 10)], rules=rules, publish_number=1)

    assert coins_of(standings) == (10 if rules is BEST else 31, 4)


def test_batch_reads_all_rows_at_once(standings: StandingStore) -> None:
    """A batch of many players reads all standings with the lease, and entries only of what may be stored."""
    entries = [entry(f"s{number}", number, player=make_guest(f"P{number}")) for number in range(40)]
    calls: list[str] = []

    def get_many(table: str, keys: Any) -> Any:
        calls.append(f"{len(keys)} {keys[0]['item'].partition('#')[0]}")
        return standings.table.client.get_many(table, keys)

    folder = make_folder(standings, get_many=get_many)
    fold_into(folder, entries, rules=SUM, publish_number=1)
    assert calls == ["41 lease"]
    fold_into(folder, entries, rules=SUM, publish_number=1)

    assert calls == ["41 lease", "41 lease", "40 entry"]
    assert {
        row: each.standing.scores["Coins"] for row, each in standings.read_board(BOARD, None).standings.items()
    } == {f"guest-p{number}": number for number in range(40)}
    assert len(list(BoardEntryStore(standings.table).list_all(BOARD))) == 40


def test_rows_are_folded_in_slices(standings: StandingStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """More rows than are held in memory at once are all folded, and all folded again."""
    monkeypatch.setattr(folding, "MAX_PLAYERS", 3)
    players = [make_guest(f"P{number}") for number in range(7)]

    folder = fold(standings, *(entry(f"s{number}", 1, player=player) for number, player in enumerate(players)))
    folder.refold_all(BOARD, PlainBoard(BOARD, BEST, 2))

    state = standings.read_board(BOARD, None)
    assert (len(state.standings), state.publish_number) == (7, 2)


def test_more_than_one_transaction_holds(standings: StandingStore) -> None:
    """More entries than one transaction holds are folded in several."""
    fold(standings, *(entry(f"s{number:03}", 1) for number in range(MAX_WRITES + 5)))

    assert coins_of(standings) == (MAX_WRITES + 5, MAX_WRITES + 5)


def test_more_bytes_than_one_transaction_holds(standings: StandingStore) -> None:
    """Entries of more than 4 MB together are folded in several transactions."""
    long = {f"part {number:05}": {"Coins": 1} for number in range(8_000)}
    count = 4_000_000 // len(json.dumps(long)) + 2

    fold(standings, *(entry(f"s{number:03}", 1, scores={"": {"Coins": 1}, **long}) for number in range(count)))

    assert coins_of(standings) == (count, count)


def test_new_rules_fold_all_again(standings: StandingStore) -> None:
    """With other rules all entries are folded, with the same rules only the publish number is written."""
    folder = fold(standings, entry("s1", 5), entry("s2", 3))

    folder.refold_all(BOARD, PlainBoard(BOARD, BEST, 2))
    assert coins_of(standings) == (5, 2)
    folder.refold_all(BOARD, PlainBoard(BOARD, BEST, 3))

    assert standings.read_board(BOARD, None).publish_number == 3
    with pytest.raises(Conflict, match="newer ranking"):
        fold(standings, entry("s3", 1), publish_number=2)


def test_large_accumulator_is_not_stored(standings: StandingStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it would not fit into an item, all entries are folded each time."""
    monkeypatch.setattr(folded_standings, "MAX_ACCUMULATOR_BYTES", 5)

    for number in range(3):
        fold(standings, entry(f"s{number}", 2))

    plain = standings.table.get(Schema.STANDING, board=str(BOARD), item=standing_key("anna"))
    assert read_folded_standing(plain).accumulator == ""
    assert coins_of(standings) == (6, 3)


def test_players_are_apart(standings: StandingStore) -> None:
    """A player whose id begins like another's has standing and entries alone, and those of all are folded."""
    other = make_guest("Anna B", player_id="anna-b")
    folder = fold(standings, entry("s1", 1), entry("s2", 9, player=other))

    folder.refold_all(BOARD, PlainBoard(BOARD, BEST, 2), anyway=True)

    shown = standings.read_board(BOARD, None).standings
    assert {player: each.standing.scores["Coins"] for player, each in shown.items()} == {"anna": 1, "anna-b": 9}


@pytest.mark.parametrize("player", sorted(NAMELESS))
def test_guests_without_a_name_are_only_counted(standings: StandingStore, player: str) -> None:
    """They have no row; their submissions are counted, fewer after a withdrawal, and no entry is ever read again."""
    nameless = make_guest("guest", player_id=player)
    first, *rest = [entry(f"s{number}", number, player=nameless) for number in range(3)]
    fold(standings, first, *rest)
    queries: list[Any] = []

    def query(*asked: Any) -> Any:
        queries.append(1)
        return standings.table.client.query(*asked)

    folder = make_folder(standings, query=query)
    fold_into(folder, [withdraw(rest[0]), first], rules=SUM, publish_number=1)
    folder.refold_all(BOARD, PlainBoard(BOARD, BEST, 2))

    state = standings.read_board(BOARD, None)
    assert (state.standings, state.unranked, state.publish_number) == ({}, 2, 2)
    assert [notice.submission for _, notice in state.notices] == ["s1"]
    assert queries == [1]  # of the standings


def test_more_standings_than_one_request_reads(standings: StandingStore) -> None:
    """More than 100 standings are read, each once; who has none is left out."""
    players = [make_guest(f"P{number}", player_id=f"p{number}") for number in range(101)]
    fold(standings, *(entry(f"s{number}", number, player=player) for number, player in enumerate(players)))
    ids = [player.id for player in players]

    shown = standings.read_board(BOARD, [*ids, "nobody", *ids]).standings

    assert {row: each.standing.scores["Coins"] for row, each in shown.items()} == dict(
        zip(ids, range(101), strict=True)
    )


def answer_some(tables: Tables, asked: list[int], *, most: int) -> Tables:
    """Return tables of DynamoDB that leave all but some keys of a request unprocessed."""

    def read(RequestItems: Any) -> Any:  # noqa: N803  # boto3's name
        ((table, request),) = RequestItems.items()
        keys = request["Keys"]
        asked.append(len(keys))
        left = {table: {**request, "Keys": keys[most:]}} if keys[most:] else {}
        items = list(tables.get_many(table, [unmarshal(key) for key in keys[:most]])) if most else []
        return {"Responses": {table: items}, "UnprocessedKeys": left}

    return AwsTables(Mock(batch_get_item=read))


def test_unprocessed_keys_are_read_again(standings: StandingStore) -> None:
    """Keys that DynamoDB leaves unprocessed are asked for again until all are read."""
    players = [make_guest(f"P{number}", player_id=f"p{number}") for number in range(5)]
    fold(standings, *(entry(f"s{number}", number, player=player) for number, player in enumerate(players)))
    asked: list[int] = []
    store = StandingStore(replace(standings.table, client=answer_some(standings.table.client, asked, most=2)))

    assert set(store.read_board(BOARD, [player.id for player in players]).standings) == {each.id for each in players}
    assert asked == [6, 4, 2]  # with the lease of the board


def test_keys_that_stay_unprocessed_are_busy(standings: StandingStore) -> None:
    """A DynamoDB that processes nothing is busy; the reader does not go on for ever."""
    store = StandingStore(replace(standings.table, client=answer_some(standings.table.client, [], most=0)))

    with pytest.raises(Busy, match="2 keys left"):
        store.read_board(BOARD, ["anna"])


def test_entries_follow_from_records(submissions: SubmissionStore) -> None:
    """The entry of a record has its scores part by part, and is withdrawn with a higher revision."""
    scored = make_record(
        submission=make_submission(player=ANNA), evaluations=(Evaluation({"Coins": 5}, {}, "a"), Evaluation({}, {}))
    )
    submissions.put_record(scored)
    withdrawals = WithdrawalStore(submissions.table)
    recorded = RecordedEntries(submissions, withdrawals, ReviewStore(submissions.table), list)
    submission = scored.submission.id

    (before,) = recorded.read_all([scored])
    withdrawal = withdrawals.put(make_withdrawal(scored))
    (after,) = recorded.read_all([scored])

    assert before == BoardEntry(ANNA, submission, 1, {"a": {"Coins": 5}, "": {}})
    assert (before.counts, after.counts) == (True, False)
    assert after.record_revision == 2
    assert after.notice == WithdrawalNotice(withdrawal.at, submission, withdrawal.reason)
