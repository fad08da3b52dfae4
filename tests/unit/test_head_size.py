"""A head stays small: rows and records give way, and nothing else."""

import gzip
from itertools import pairwise
from random import Random

import pytest

from aggregate import board
from aggregate.board import LEFT_OUT, MAX_HEAD_BYTES, SIZES, fits, trim_head
from storage.boards.models import Head, HeadImprovements
from storage.keys import make_submission_id
from tests.unit.heads import NOON, make_head_of

RANDOM = Random(4)  # noqa: S311  # no secret: values that do not compress, the same every time


def test_worst_board_loses_rows_and_improvements() -> None:
    """With long names, ten columns at full precision, 300 records some rows and records go."""
    head = _fill(make_head_of([_name(64) for _ in range(150)]), columns=10, records=300)

    fitted = trim_head(head)

    assert measure_head(fitted) <= MAX_HEAD_BYTES
    assert 10 <= len(fitted.rows.player) < 100
    assert fitted.rows.player == head.rows.player[: len(fitted.rows.player)]
    assert (fitted.improvements.total, fitted.total) == (300, 150)
    assert (fitted.improvements.steps[0], fitted.improvements.steps[-1]) == (
        head.improvements.steps[0],
        head.improvements.steps[-1],
    )


@pytest.mark.parametrize("length", [5_000, 10_000, 1_000_000])
def test_description_that_never_fits_costs_no_rows(length: int) -> None:
    """Where a description is too large for the smallest head a note takes its place, and all rows stay."""
    head = _fill(make_head_of(["Ada"] * 30), columns=1, records=40)

    fitted = trim_head(head.model_copy(update={"description": _noise(length)}))

    assert measure_head(fitted) <= MAX_HEAD_BYTES
    assert (len(fitted.rows.player), len(fitted.improvements.steps)) == (30, 40)
    assert fitted.description == LEFT_OUT


def test_description_that_fits_is_whole() -> None:
    """A text of ordinary length takes rows away, but stays whole."""
    description = _noise(2_000)
    head = _fill(make_head_of(["Ada"] * 100), columns=2, records=40)

    fitted = trim_head(head.model_copy(update={"description": description}))

    assert measure_head(fitted) <= MAX_HEAD_BYTES
    assert fitted.description == description
    assert 10 <= len(fitted.rows.player) < 100


def test_largest_definition_has_a_bounded_head(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an owner wrote, and when: a head is packed six times at most, and ends below 100 kB."""
    packed: list[int] = []
    monkeypatch.setattr(board, "fits", lambda head: packed.append(1) or fits(head))
    head = _fill(make_head_of([_name(64) for _ in range(1000)]), columns=40, records=300)
    metrics = [
        metric.model_copy(update={"label": _noise(64), "unit": _noise(16), "help": _noise(300)})
        for metric in head.metrics
    ]
    texts = {"title": _noise(100), "summary": _noise(300), "tags": (_noise(32),) * 10, "description": _noise(1_000_000)}

    fitted = trim_head(head.model_copy(update={"metrics": tuple(metrics), **texts}))

    assert measure_head(fitted) < 100_000
    assert (len(fitted.rows.player), len(fitted.improvements.steps), fitted.description) == (10, 10, LEFT_OUT)
    assert len(packed) <= 6


def test_sizes_of_heads_decrease() -> None:
    """The search by halves needs sizes of which each is smaller than the one before."""
    for larger, smaller in pairwise(SIZES):
        assert larger != smaller
        assert all(before >= after for before, after in zip(larger, smaller, strict=True))


def measure_head(head: Head) -> int:
    """Return the size of a head as it is transferred, in bytes."""
    return len(gzip.compress(head.model_dump_json().encode(), compresslevel=6, mtime=0))


def _fill(head: Head, *, columns: int, records: int) -> Head:
    count = head.total
    names = [f"Metric number {index}" for index in range(columns)]
    scores = {name: tuple(RANDOM.random() * 100 for _ in range(count)) for name in names}
    rows = head.rows.model_copy(
        update={
            "player": tuple(f"guest-{_name(9).lower()}-{RANDOM.randbytes(4).hex()}" for _ in range(count)),
            "scores": scores,
            "at": tuple(1_767_000_000_000 + RANDOM.randrange(10**9) for _ in range(count)),
            "submission": tuple(_submission() for _ in range(count)),
        }
    )
    steps = tuple(
        (1_767_000_000_000 + n * 977, RANDOM.random(), rows.player[n % 9], _submission()) for n in range(records)
    )
    metrics = tuple(head.metrics[0].model_copy(update={"id": name, "label": name}) for name in names)
    changes = {"rows": rows, "metrics": metrics}
    return head.model_copy(update={**changes, "improvements": HeadImprovements(steps=steps, total=records)})


def _noise(length: int) -> str:
    """Return a text that hardly compresses."""
    return "".join(chr(RANDOM.randrange(0x4E00, 0x9FFF)) for _ in range(length))


def _name(length: int) -> str:
    return "".join(RANDOM.choice("abcdefghijklmnopqrstuvwxyzABCDEFGH äöü") for _ in range(length)).replace(" ", "-")


def _submission() -> str:
    return make_submission_id(NOON, RANDOM.randbytes(10))
