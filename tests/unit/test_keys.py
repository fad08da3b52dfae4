"""S3 keys, both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import keys

ID = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
KEY = f"results/coin-run/2022-02-22/{ID}"


def test_every_object_has_its_key() -> None:
    """Every kind of object has its key."""
    assert str(keys.ResultKey("coin-run", ID)) == KEY
    assert keys.record_key("coin-run", submission=ID, version="0a", digest="e2") == f"records/coin-run/{ID}/0a.e2.json"
    assert keys.bundle_key("coin-run", version="0a", sha256="f1") == "benchmarks/coin-run/0a/f1.zip"
    assert keys.report_key("coin-run", player="ada", batch=ID) == f"reports/coin-run/ada/{ID}.json"
    assert keys.upload_prefix("coin-run", player="ada", upload=ID) == f"drops/coin-run/ada/{ID}/"
    assert keys.current_key("coin-run") == "benchmarks/coin-run/current.json"
    assert keys.head_key("coin-run") == "data/b/coin-run/head.json"
    assert keys.head_key("coin-run", "humans", version="0a") == "data/b/coin-run/boards/humans/0a/head.json"
    assert keys.board_prefix("coin-run", "humans") == "data/b/coin-run/boards/humans/"


@pytest.mark.parametrize(
    "key",
    [
        "",
        KEY + "/",
        KEY + "\n",
        KEY.replace("2022-02-22", "2022-02-23"),
        KEY.replace("coin-run", "Coin"),
        KEY.replace("coin-run", "a/b"),
        KEY.replace("-7cc3-", "-4cc3-"),
        "results/coin-run/9999-12-31/ffffffff-ffff-7fff-bfff-ffffffffffff",
    ],
)
def test_foreign_key_names_no_result(key: str) -> None:
    """A key that we would not have written names nothing, even where its date is not the id's."""
    assert keys.parse_result_key(key) is None


@given(key=st.one_of(st.text(), st.from_regex(r"results/[a-z]/\d{4}-\d\d-\d\d/[0-9a-f-]{36}")))
def test_any_text_is_parsed_as_a_key_or_refused(key: str) -> None:
    """Any text is parsed as a key or refused."""
    parsed = keys.parse_result_key(key)

    assert parsed is None or str(parsed) == key


@pytest.mark.parametrize("name", ["runs.jsonl", "a/b/c.zip", " ", "ä\n.json", "noend", ".json"])
def test_drop_round_trip(name: str) -> None:
    """What names a drop is read back from its key, folders and odd names included."""
    assert keys.parse_batch_key(f"drops/coin-run/ada/{name}") == keys.BatchKey("coin-run", "ada", name)
    assert str(keys.BatchKey("coin-run", "ada", name)) == f"drops/coin-run/ada/{name}"


@pytest.mark.parametrize(
    "key",
    [
        "drops/coin-run/ada/",
        "drops/coin-run/a.json",
        "drops/Coin/ada/a.json",
        "drops/coin-run/-ada/a.json",
        "drops/coin-run/../a.json",
        "drops/coin-run/ada//a.json",
        "results/coin-run/ada/a.json",
    ],
)
def test_foreign_key_names_no_batch(key: str) -> None:
    """What does not name benchmark, player and a file is no drop."""
    assert keys.parse_batch_key(key) is None
