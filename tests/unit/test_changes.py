"""What differs between two versions of a benchmark, and between two states of its board."""

import json
from typing import Any

import yaml

from aggregate.benchmarks.changes import find_changes
from aggregate.benchmarks.corrections import compare_rows
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from storage.benchmarks.corrections import CorrectedRow
from storage.boards.models import Rows
from storage.submissions.models import PlayerKind

TRUTH = "id,type,scene_id,video_id,points\n1,TR,L03,V017,100-120\n"


def make(truth: str = TRUTH, **changes: Any) -> Benchmark:
    """Make a benchmark, with some keys changed."""
    definition = {
        "id": "tiny",
        "title": "Tiny",
        "summary": "One question.",
        "scorer": "event_decay",
        "ground_truth": "truth.csv",
        "score_type": {"headers": [{"name": "score", "type": "float"}]},
        "ranking": {"by": ["score"]},
        "contacts": {"owner": "owner@example.com"},
    }
    return load_bundle(
        pack({"benchmark.yaml": yaml.safe_dump(definition | changes).encode(), "truth.csv": truth.encode()})
    )


def make_rows(**players: tuple[int, float]) -> Rows:
    """Make rows from player → (rank, score)."""
    return Rows(
        player=tuple(players),
        name=tuple(name.title() for name in players),
        kind=(PlayerKind.HUMAN,) * len(players),
        verified=tuple(name != "dov" for name in players),
        rank=tuple(rank for rank, _ in players.values()),
        scores={"score": tuple(score for _, score in players.values())},
    )


def make_change(player: str, name: str, *facts: Any, label: str | None = None) -> CorrectedRow:
    """Make a changed row: its ranks before and after, then its values."""
    names = ("rank_before", "rank_after", "value_before", "value_after")
    given = dict(zip(names, facts, strict=True))
    return CorrectedRow(player=player, name=name, label=label, verified=player != "dov", **given)


def test_same_benchmark_has_no_changes() -> None:
    """A default that is written out is no change."""
    assert find_changes(make(), make(parameters={"max_score": 100.0})) == []


def test_changes_are_only_names() -> None:
    """Keys, parameters, metrics and files are named, but no word of the truth."""
    headers = [{"name": "score", "type": "float", "max": 50}]
    after = make(
        TRUTH.replace("100-120", "54321-54330"),
        title="New",
        parameters={"max_score": 50},
        score_type={"headers": headers},
    )

    changes = find_changes(make(), after)

    assert changes == ["parameters.max_score", "score_type.headers.score.max", "title", "ground truth truth.csv"]
    assert "54321" not in json.dumps(changes)


def test_boards_are_compared_by_player() -> None:
    """Players are in the new order; those who left are none of them."""
    before = make_rows(ada=(1, 9.0), bea=(2, 8.0), cem=(3, 7.0))
    after = make_rows(bea=(1, 10.0), ada=(2, 9.0), dov=(3, 1.0))

    changes = compare_rows(before, after, column="score")

    assert changes == [
        make_change("bea", "Bea", 2, 1, 8.0, 10.0),
        make_change("ada", "Ada", 1, 2, 9.0, 9.0),
        make_change("dov", "Dov", None, 3, None, 1.0),
    ]
    assert all(one.is_change for one in changes)


def test_labels_of_a_player_are_compared_by_themselves() -> None:
    """Where each label has a row, a row is compared with that of the same label."""
    shown = make_rows(ada=(1, 9.0), bea=(2, 8.0))
    before = shown.model_copy(update={"player": ("ada", "ada"), "name": ("Ada", "Ada"), "label": ("", "step 2")})
    after = before.model_copy(update={"label": ("step 2", "")})

    changes = compare_rows(before, after, column="score")

    assert changes == [
        make_change("ada", "Ada", 2, 1, 8.0, 9.0, label="step 2"),
        make_change("ada", "Ada", 1, 2, 9.0, 8.0, label=""),
    ]


def test_board_without_the_metric_has_no_values() -> None:
    """A board without the metric has no values."""
    (change,) = compare_rows(make_rows(ada=(1, 9.0)), make_rows(ada=(1, 9.0)), column="other")

    assert (change.value_before, change.value_after, change.is_change) == (None, None, False)
