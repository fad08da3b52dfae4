"""Boards: contributions by revision, standings that racing writers cannot spoil."""

import dataclasses
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from scoring_core.benchmarks.definition import Keep, Ranking
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.standings import NO_PART, Contribution, Standing, fold_standing
from storage.aws.errors import MAX_TRIES, Busy, Conflict
from storage.boards.standings import BoardKey, Fold, PlayerContribution, PlayerStanding, StandingStore
from storage.submissions.models import Player, PlayerKind
from tests.contract.conftest import intercept
from tests.harness.factories import make_guest, make_player

BOARD = BoardKey("coin-run", "0123456789abcdef")
ANNA = make_player("anna", "Anna")
ANNA_B = make_guest("Anna B", PlayerKind.MODEL, player_id="anna-b")
COLUMNS = ScoreType.model_validate({"headers": [{"name": "Coins", "type": "int"}]})


def fold_by(keep: Keep, *parts: str) -> Fold:
    """Return the fold of a benchmark, without improvements."""
    ranking = Ranking(keep=keep, by=("Coins",))
    return lambda tries: (fold_standing(tries, ranking=ranking, score_type=COLUMNS, parts=parts), ())


BEST, SUM = fold_by(Keep.BEST), fold_by(Keep.SUM)


def contributed(
    submission: str,
    coins: int,
    *,
    player: Player = ANNA,
    part: str = NO_PART,
    revision: int = 1,
    withdrawn: bool = False,
) -> PlayerContribution:
    """Return a contribution."""
    return PlayerContribution(player, Contribution(submission, part, {"Coins": coins}), revision, withdrawn)


def standing_of(store: StandingStore, player: str = "anna") -> PlayerStanding | None:
    """Read one standing."""
    return store.read_board(BOARD, [player]).standings.get(player)


def coins_of(store: StandingStore, player: str = "anna") -> int | float | None:
    """Read the coins of one standing."""
    found = standing_of(store, player)
    return found.standing.scores["Coins"] if found else None


def racing(store: StandingStore, operation: str, act: Callable[[], None], *, times: int = 1) -> StandingStore:
    """Return a store whose first calls of an operation of DynamoDB are each preceded by what a rival does."""
    left = [act] * times
    real = getattr(store.table.client, operation)

    def call(**request: Any) -> Any:
        if left:
            left.pop()()
        return real(**request)

    return dataclasses.replace(store, table=intercept(store.table, **{operation: call}))


def test_standing_is_read_as_written(standings: StandingStore) -> None:
    """A standing comes back with whose it is, what it rests on, and every bit of its scores."""
    standings.put_contribution(BOARD, contributed("s1", 2**53))

    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)

    assert standing_of(standings) == PlayerStanding(ANNA, Standing({"Coins": 2**53}, "s1", 1))


def test_boards_are_apart(standings: StandingStore) -> None:
    """The same player has a standing of her own on every board."""
    other = BoardKey("coin-run", "fedcba9876543210")
    standings.put_contribution(BOARD, contributed("s1", 1))
    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)
    standings.update_standing(other, "anna", fold=BEST, publish_number=1)

    assert standings.read_board(other, None).standings == {}


def test_players_are_apart(standings: StandingStore) -> None:
    """A player whose id begins like another's does not lend her contributions."""
    standings.put_contribution(BOARD, contributed("s1", 1))
    standings.put_contribution(BOARD, contributed("s2", 9, player=ANNA_B))

    for player in ("anna", "anna-b"):
        standings.update_standing(BOARD, player, fold=SUM, publish_number=1)

    assert (coins_of(standings), coins_of(standings, "anna-b")) == (1, 9)
    assert set(standings.read_board(BOARD, None).standings) == {"anna", "anna-b"}


def test_everybody_at_once(standings: StandingStore) -> None:
    """All standings are folded as each alone would be, and those that stay as they are, are not written."""
    standings.put_contribution(BOARD, contributed("s1", 1))
    standings.put_contribution(BOARD, contributed("s2", 9, player=ANNA_B))
    standings.put_contribution(BOARD, contributed("s3", 4))
    standings.update_standing(BOARD, "anna-b", fold=SUM, publish_number=1)
    writes: list[str] = []

    def put_item(**request: Any) -> Any:
        writes.append(request["Item"]["player"]["S"])
        return standings.table.client.put_item(**request)

    dataclasses.replace(standings, table=intercept(standings.table, put_item=put_item)).update_standings(
        BOARD, fold=SUM, publish_number=1
    )

    assert (coins_of(standings), coins_of(standings, "anna-b")) == (5, 9)
    assert writes == ["anna"]


def test_everybody_at_once_beside_another(standings: StandingStore) -> None:
    """A player whose standing was folded in between is folded again, with the new contributions."""
    standings.put_contribution(BOARD, contributed("s1", 1))

    def rival() -> None:
        standings.put_contribution(BOARD, contributed("s2", 2))
        standings.update_standing(BOARD, "anna", fold=SUM, publish_number=1)

    racing(standings, "put_item", rival).update_standings(BOARD, fold=SUM, publish_number=2)

    assert coins_of(standings) == 3


def test_everybody_by_an_older_ranking(standings: StandingStore) -> None:
    """A standing that a newer ranking has folded is not folded back."""
    standings.put_contribution(BOARD, contributed("s1", 1))
    standings.update_standing(BOARD, "anna", fold=SUM, publish_number=3)

    with pytest.raises(Conflict, match="newer ranking"):
        standings.update_standings(BOARD, fold=BEST, publish_number=2)


def test_redelivery_changes_nothing(standings: StandingStore) -> None:
    """The same contribution again changes nothing, and the standing is not even written."""
    for _ in range(2):
        standings.put_contribution(BOARD, contributed("s1", 5))
        standings.update_standing(BOARD, "anna", fold=SUM, publish_number=1)
    silent = dataclasses.replace(
        standings, table=intercept(standings.table, put_item=Mock(side_effect=AssertionError("written")))
    )

    silent.update_standing(BOARD, "anna", fold=SUM, publish_number=1)

    assert coins_of(standings) == 5


@pytest.mark.parametrize(("revision", "coins"), [(1, 5), (2, 5), (3, 7)])
def test_newer_revision_stands(standings: StandingStore, revision: int, coins: int) -> None:
    """Of two forms of one contribution the one with the higher revision stands, in whichever order they come."""
    standings.put_contribution(BOARD, contributed("s1", 5, revision=2))

    standings.put_contribution(BOARD, contributed("s1", 7, revision=revision))

    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)
    assert coins_of(standings) == coins


def test_withdrawal_takes_a_standing_away(standings: StandingStore) -> None:
    """What is withdrawn no longer counts; who has nothing left is off the board, and can come back."""
    standings.put_contribution(BOARD, contributed("s1", 5))
    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)
    standings.put_contribution(BOARD, contributed("s1", 5, revision=2, withdrawn=True))
    standings.put_contribution(BOARD, contributed("s1", 5))  # the scored record, delivered late
    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)
    assert standings.read_board(BOARD, None).standings == {}

    standings.put_contribution(BOARD, contributed("s2", 3))
    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)

    assert standing_of(standings) == PlayerStanding(ANNA, Standing({"Coins": 3}, "s2", 1))


def test_parts_are_apart(standings: StandingStore) -> None:
    """One submission may contribute to several parts."""
    for part, coins in (("a", 1), ("b", 2)):
        standings.put_contribution(BOARD, contributed("s1", coins, part=part))
    fold = fold_by(Ranking(by=("Coins",)).keep, "a", "b")

    standings.update_standing(BOARD, "anna", fold=fold, publish_number=1)

    assert standing_of(standings) == PlayerStanding(ANNA, Standing({"Coins": 3}, "s1", 1))


def test_player_of_the_last_submission(standings: StandingStore) -> None:
    """The name that is shown is the one of the latest submission, whatever the order of arrival."""
    renamed = dataclasses.replace(ANNA, name="Anna the Great")
    standings.put_contribution(BOARD, contributed("s2", 1, player=renamed))
    standings.put_contribution(BOARD, contributed("s1", 9))

    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)

    found = standing_of(standings)
    assert found is not None
    assert (found.player, found.standing.submission) == (renamed, "s1")


def test_player_without_contribution_has_no_standing(standings: StandingStore) -> None:
    """Who contributed nothing gets no item."""
    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)

    assert standings.table.client.scan(TableName=standings.table.name)["Count"] == 0


def test_newer_ranking_stands(standings: StandingStore) -> None:
    """A standing folded by a newer revision of the benchmark is not folded back by one who has not heard of it."""
    for submission, coins in (("s1", 5), ("s2", 3)):
        standings.put_contribution(BOARD, contributed(submission, coins))
    standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)
    standings.update_standing(BOARD, "anna", fold=SUM, publish_number=2)

    with pytest.raises(Conflict, match="newer ranking"):
        standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)

    assert coins_of(standings) == 8


@pytest.mark.parametrize("folded_before", [0, 1])
@pytest.mark.parametrize("operation", ["get_item", "put_item"])
def test_racing_writer_is_folded_too(standings: StandingStore, operation: str, folded_before: int) -> None:
    """A rival who contributes and folds in between is not overwritten: the fold is that of all contributions."""
    standings.put_contribution(BOARD, contributed("s1", 1))
    for _ in range(folded_before):
        standings.update_standing(BOARD, "anna", fold=SUM, publish_number=1)
    standings.put_contribution(BOARD, contributed("s2", 10))

    def rival() -> None:
        standings.put_contribution(BOARD, contributed("s3", 100))
        standings.update_standing(BOARD, "anna", fold=SUM, publish_number=1)

    racing(standings, operation, rival).update_standing(BOARD, "anna", fold=SUM, publish_number=1)

    assert standing_of(standings) == PlayerStanding(ANNA, Standing({"Coins": 111}, "s3", 3))


def test_rival_who_only_contributed(standings: StandingStore) -> None:
    """A rival's contribution that came too late for this fold is folded by the rival, in either order of writes."""
    standings.put_contribution(BOARD, contributed("s1", 1))
    late = racing(standings, "put_item", lambda: standings.put_contribution(BOARD, contributed("s2", 10)))
    late.update_standing(BOARD, "anna", fold=SUM, publish_number=1)
    assert coins_of(standings) == 1

    standings.update_standing(BOARD, "anna", fold=SUM, publish_number=1)

    assert coins_of(standings) == 11


def test_racing_withdrawal_is_folded_too(standings: StandingStore) -> None:
    """A withdrawal in between is not undone by a fold that had not seen it."""
    standings.put_contribution(BOARD, contributed("s1", 1))
    standings.update_standing(BOARD, "anna", fold=SUM, publish_number=1)
    standings.put_contribution(BOARD, contributed("s2", 10))

    def rival() -> None:
        standings.put_contribution(BOARD, contributed("s2", 10, revision=2, withdrawn=True))
        standings.update_standing(BOARD, "anna", fold=SUM, publish_number=1)
        standings.put_contribution(BOARD, contributed("s3", 5))
        standings.update_standing(BOARD, "anna", fold=SUM, publish_number=1)

    racing(standings, "put_item", rival).update_standing(BOARD, "anna", fold=SUM, publish_number=1)

    assert coins_of(standings) == 6


def test_race_lost_too_often(standings: StandingStore) -> None:
    """Who never wins says so, to be retried; the others' standing stands."""
    standings.put_contribution(BOARD, contributed("s1", 1))
    coins = iter(range(2, 1000))

    def rival() -> None:
        standings.update_standing(BOARD, "anna", fold=BEST, publish_number=1)
        one = next(coins)  # what the loser folds next, so that there is something to write
        standings.put_contribution(BOARD, contributed(f"s{one}", one))

    loser = racing(standings, "put_item", rival, times=MAX_TRIES)

    with pytest.raises(Busy, match="lost 20 races"):
        loser.update_standing(BOARD, "anna", fold=BEST, publish_number=1)

    assert coins_of(standings) == MAX_TRIES


def fill(store: StandingStore, count: int) -> list[str]:
    """Return so many players a standing, each with as many coins as its number."""
    players = [f"p{index}" for index in range(count)]
    for index, player in enumerate(players):
        one = contributed("s1", index, player=make_guest(player, player_id=player))
        store.put_contribution(BOARD, one)
        store.update_standing(BOARD, player, fold=BEST, publish_number=1)
    return players


def test_more_than_one_batch(standings: StandingStore) -> None:
    """More than the 100 keys of one request are read, each player once, and who has no standing is left out."""
    players = fill(standings, 101)

    found = standings.read_board(BOARD, [*players, "nobody", *players]).standings

    assert {player: one.standing.scores["Coins"] for player, one in found.items()} == {
        player: index for index, player in enumerate(players)
    }


def test_unprocessed_keys_are_read_again(standings: StandingStore) -> None:
    """Keys that DynamoDB leaves unprocessed are asked for again until all are read."""
    players = fill(standings, 5)
    asked: list[int] = []

    def batch_get_item(RequestItems: Any) -> Any:  # noqa: N803  # boto3's name
        ((table, request),) = RequestItems.items()
        asked.append(len(request["Keys"]))
        taken: Any = {**request, "Keys": request["Keys"][:2]}
        left: Any = {**request, "Keys": request["Keys"][2:]}
        answer = standings.table.client.batch_get_item(RequestItems={table: taken})
        answer["UnprocessedKeys"] = {table: left} if left["Keys"] else {}
        return answer

    store = dataclasses.replace(standings, table=intercept(standings.table, batch_get_item=batch_get_item))

    assert set(store.read_board(BOARD, players).standings) == set(players)
    assert asked == [5, 3, 1]


def test_keys_that_stay_unprocessed(standings: StandingStore) -> None:
    """A DynamoDB that processes nothing is busy; the reader does not turn for ever."""

    def batch_get_item(RequestItems: Any) -> Any:  # noqa: N803  # boto3's name
        return {"Responses": {}, "UnprocessedKeys": RequestItems}

    store = dataclasses.replace(standings, table=intercept(standings.table, batch_get_item=batch_get_item))

    with pytest.raises(Busy, match="1 keys left"):
        store.read_board(BOARD, ["anna"])


def test_no_players_read_nothing(standings: StandingStore) -> None:
    """Nobody's standings are no request at all."""
    store = dataclasses.replace(standings, table=dataclasses.replace(standings.table, client=Mock(spec=[])))

    assert store.read_board(BOARD, []).standings == {}
