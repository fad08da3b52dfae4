"""Owners of guests' names: each has one number for good, also if several come at the same time."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from local.template import Template
from storage.gateway.table import Table
from storage.players.players import MAX_NUMBERED, GuestNameStore, NameOwners
from storage.submissions.models import Player
from tests.harness.factories import name_guest
from tests.harness.raw_cloud import RawCloud


@pytest.fixture
def names(cloud: RawCloud, template: Template) -> GuestNameStore:
    """The store of guests' names."""
    return GuestNameStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


def make_guest(owner: str, name: str = "Ada") -> Player:
    """Return the guest of an owner."""
    return name_guest(name, owner=owner)


def show(names: GuestNameStore, guest: Player) -> str:
    """Read who owns a name, and show the guest."""
    return names.show(guest, names.read(guest)).name


def test_owners_of_a_name_are_told_apart(names: GuestNameStore) -> None:
    """The first keeps the name, later ones get numbers, names that look alike share them, and nothing changes later."""
    shown = [show(names, make_guest(owner, name)) for owner, name in (("a", "Iris"), ("b", "lris"), ("c", "IRIS"))]
    again = [show(names, make_guest(owner, name)) for owner, name in (("c", "iris"), ("b", "lris"), ("a", "Iris"))]

    assert shown == ["Iris", "lris ·2", "IRIS ·3"]
    assert again == ["iris ·3", "lris ·2", "Iris"]
    assert show(names, make_guest("a", "Bo")) == "Bo"


def test_owners_who_come_at_once(names: GuestNameStore) -> None:
    """Of owners who all found the name free, each gets a number of its own; one owner who comes twice gets one."""
    guests = [make_guest(owner) for owner in "abcdab"]

    with ThreadPoolExecutor(len(guests)) as pool:
        shown = list(pool.map(lambda guest: names.show(guest, NameOwners()).name, guests))

    assert sorted(set(shown)) == ["Ada", "Ada ·2", "Ada ·3", "Ada ·4"]
    assert shown[:2] == shown[4:]


def test_erased_owner_leaves_a_number(names: GuestNameStore) -> None:
    """The number is nobody's again, and nothing says whose it was; a repeat changes nothing."""
    for owner in "ab":
        show(names, make_guest(owner))
    for _ in range(2):
        names.erase(make_guest("b"))

    assert [show(names, make_guest(owner)) for owner in "ac"] == ["Ada", "Ada ·3"]
    assert set(names.read(make_guest("a")).numbers.values()) == {1, 2, 3}
    assert make_guest("b").id.rpartition("-")[2][:12] not in names.read(make_guest("a")).numbers


def test_first_secret_stays(names: GuestNameStore) -> None:
    """Of stacks' processes that draw at once, the first one's secret is everybody's; it is nobody's name."""
    with ThreadPoolExecutor(4) as pool:
        kept = set(pool.map(lambda drawn: names.keep_secrets(bytes([drawn]) * 32), range(4)))

    assert len(kept) == 1
    assert names.keep_secrets(bytes(32)) in kept
    assert names.read(name_guest("secret")) == NameOwners()


def test_name_has_an_end(names: GuestNameStore, cloud: RawCloud, template: Template) -> None:
    """Owners who come late are told apart by their ids, are not stored, and the item stays below one read unit."""
    full = names.read(make_guest("a"))
    for number in range(MAX_NUMBERED):
        names.show(make_guest(f"{number}"), full)
        full = names.read(make_guest("a"))

    late = make_guest("late")

    assert show(names, late) == f"Ada ·{late.id.rpartition('-')[2][:6]}"
    (item,) = cloud.dynamodb.scan(TableName=template.resources["AccessTable"].name)["Items"]
    assert len(item["owners"]["SS"]) == MAX_NUMBERED
    assert sum(map(len, item["owners"]["SS"])) + len(str(item["key"])) < 4096 - 200
