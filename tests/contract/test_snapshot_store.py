"""Snapshots: objects that never change, head and index by compare-and-swap."""

import pytest

from storage.boards.models import Head, Index
from storage.boards.pages import NamedObject, ObjectKind, Stamp, encode_changes
from storage.boards.snapshots import SnapshotStore
from storage.gateway.errors import Conflict, NotFound
from tests.unit.heads import make_head_of


def head_of(sequence: int) -> Head:
    """Return a head."""
    return make_head_of(["Anna", "Bert"]).model_copy(update={"sequence": sequence})


def test_object_round_trip(snapshots: SnapshotStore) -> None:
    """An object is found by its name, and read once while it is kept."""
    named = Stamp(7).name(ObjectKind.RECENT, encode_changes({}))
    read = []

    def decode(body: bytes) -> bytes:
        read.append(body)
        return body

    snapshots.write_object("data/b/coin-run/", named)

    assert snapshots.read_object("data/b/coin-run/", named.name) == named.body
    for _ in range(2):
        assert snapshots.decode_object("data/b/coin-run/", named.name, decode) == named.body
    assert read == [named.body]
    with pytest.raises(NotFound):
        snapshots.read_object("data/b/other/", named.name)


def test_another_stamp_makes_another_name() -> None:
    """Two attempts at the same head name the same content differently."""
    stamps = (Stamp(7), Stamp(8), Stamp(7, "0a"))

    names = {stamp.name(ObjectKind.PAGE, b"{}").name for stamp in stamps}

    assert len(names) == 3
    assert all(name.startswith(("page.7-", "page.8-")) for name in names)


@pytest.mark.parametrize("meanwhile", ["first", "replaced", "gone"])
def test_head_is_replaced_only_as_it_was_read(snapshots: SnapshotStore, meanwhile: str) -> None:
    """Of two who publish a board, also for the first time, one gets an error; so does one whose head is gone."""
    snapshots.write_head(head_of(1), replacing=None)
    read = snapshots.read_head("coin-run") if meanwhile != "first" else None
    if meanwhile == "gone":
        snapshots.bucket.delete("data/b/coin-run/head.json")
    elif meanwhile == "replaced":
        snapshots.write_head(head_of(2), replacing=read)
    before = snapshots.read_head("coin-run")

    with pytest.raises(Conflict):
        snapshots.write_head(head_of(3), replacing=read)

    assert snapshots.read_head("coin-run") == before


def test_index_is_replaced_if_unchanged(snapshots: SnapshotStore) -> None:
    """The index is written and replaced like a head."""
    assert snapshots.read_index() is None
    snapshots.write_index(Index(), replacing=None)
    read = snapshots.read_index()
    assert read is not None
    assert read.value == Index()
    snapshots.write_index(Index(), replacing=read)

    with pytest.raises(Conflict):
        snapshots.write_index(Index(), replacing=None)


def test_cache_headers_are_set(snapshots: SnapshotStore) -> None:
    """What never changes may be kept for ever, what is replaced only for seconds; all of it is JSON."""
    snapshots.write_object("data/b/coin-run/", NamedObject("page.1-0a.json", b"{}"))
    snapshots.write_head(head_of(1), replacing=None)
    snapshots.write_index(Index(), replacing=None)

    keys = ("data/b/coin-run/head.json", "data/index.json", "data/b/coin-run/page.1-0a.json")
    kept = [snapshots.bucket.get(key).info for key in keys]

    assert [each.cache_control for each in kept] == [
        *("public, max-age=2", "public, max-age=2"),
        "public, max-age=31536000, immutable",
    ]
    assert {each.content_type for each in kept} == {"application/json"}
