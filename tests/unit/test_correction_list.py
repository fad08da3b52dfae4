"""The list of corrections is bounded, and struck names are gone from all of it."""

from datetime import UTC, datetime

from scoring_core.metrics.score_type import Direction
from storage.benchmarks.corrections import MAX_CORRECTIONS, CorrectedRow, Correction, Corrections
from storage.boards.models import Metric

METRIC = Metric(id="score", label="Score", unit=None, direction=Direction.HIGHER, decimals=1, help=None, primary=True)


def make_correction(day: int, *labels: str | None) -> Correction:
    """Make a correction of a day that changed Ada's rows with these labels."""
    return Correction(
        version="b" * 16,
        replaced="a" * 16,
        at=datetime(2026, 1, day, tzinfo=UTC),
        reason="",
        metric=METRIC,
        rows=9,
        changed=len(labels),
        moved=0,
        left=0,
        listed=tuple(
            CorrectedRow(
                player="ada",
                name="Ada",
                verified=True,
                label=label,
                rank_before=1,
                rank_after=1,
                value_before=1.0,
                value_after=2.0,
            )
            for label in labels
        ),
    )


def test_list_of_corrections_is_bounded() -> None:
    """The newest come first, the oldest go, and a row is struck by its id from each of them."""
    listed = Corrections(id="tiny", corrections=())
    for day in range(1, MAX_CORRECTIONS + 3):
        listed = listed.add(make_correction(day, None, "step 2"))

    struck = Corrections.model_validate_json(listed.to_body()).strike({"ada/step%202"})

    assert [correction.at.day for correction in struck.corrections] == list(range(MAX_CORRECTIONS + 2, 2, -1))
    assert (listed.list_rows(), struck.list_rows()) == ({"ada", "ada/step%202"}, {"ada"})
    assert {correction.changed for correction in struck.corrections} == {2}
