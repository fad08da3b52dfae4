"""What is kept of submissions, both ways: metadata of S3 objects, items of the table."""

import unicodedata
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.outcome import Outcome
from scoring_core.output import Output
from scoring_core.scorers.base import Evaluation
from storage.gateway.schema import marshal
from storage.submissions.models import (
    NAMELESS,
    Player,
    PlayerKind,
    Submission,
    SubmissionRecord,
    record_from_item,
    submission_from_metadata,
)
from tests.harness.factories import make_guest, make_submission

ID = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
NAMES = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=64).map(
    lambda text: unicodedata.normalize("NFKC", text)[:64]
)
SHA256 = st.none() | st.just("0a" * 32)
PARTS = st.none() | st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)
PLAYERS = st.builds(
    lambda player, kind, verified: Player(player, player, kind, verified=verified),
    st.from_regex(r"[a-z0-9][a-z0-9-]{0,63}", fullmatch=True).filter(lambda player: player not in NAMELESS),
    st.sampled_from(PlayerKind),
    st.booleans(),
)
"""As results and records have them: with the id for a name."""
SUBMISSIONS = st.builds(
    lambda player, **named: Submission(player=player, **named),  # other fields have their defaults
    id=st.just(ID),
    benchmark=st.just("coin-run"),
    player=PLAYERS,
    part=PARTS,
    receipt_sha256=SHA256,
    origin=SHA256,
    batch=st.none() | st.just(ID),
)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
SCORES = st.dictionaries(NAMES, NUMBERS, max_size=4)
EVALUATIONS = st.builds(
    partial(Evaluation, output=None, absent=frozenset(), public=None),
    scores=SCORES,
    detail=st.dictionaries(st.text(max_size=5), st.none() | NUMBERS | st.text(max_size=5), max_size=3),
    part=PARTS,
)
RECORDS = st.builds(
    SubmissionRecord,
    submission=SUBMISSIONS,
    version=st.just("0123456789abcdef"),
    outcome=st.sampled_from(Outcome),
    signature=st.text(max_size=20),
    recorded_at=st.just("2026-01-01T00:00:00+00:00"),
    scores=SCORES,
    evaluations=st.lists(EVALUATIONS, max_size=3).map(tuple),
    message=st.text(max_size=20),
    pointer=st.text(max_size=20),
    output=st.none()
    | st.builds(Output, stdout=st.text(max_size=9), stderr=st.text(max_size=9), ended=st.text(max_size=9)),
    revision=st.integers(1, 9),
)


@given(submission=SUBMISSIONS)
def test_metadata_fits_s3(submission: Submission) -> None:
    """Metadata are ASCII without white space, which HTTP would trim, and stay under S3's 2 KB."""
    metadata = submission.to_metadata()

    assert all(value.isascii() and value.isprintable() and " " not in value for value in metadata.values())
    assert sum(len(name) + len(value) for name, value in metadata.items()) < 2048


@pytest.mark.parametrize("missing", ["player", "kind", "verified"])
def test_incomplete_metadata_is_refused(missing: str) -> None:
    """An object that lacks what we always write is not ours."""
    metadata = make_submission(id=ID, benchmark="coin-run", player=make_guest("A", player_id="a")).to_metadata()
    del metadata[missing]

    with pytest.raises(KeyError):
        submission_from_metadata(id=ID, benchmark="coin-run", metadata=metadata)


@given(record=RECORDS)
def test_item_round_trip(record: SubmissionRecord) -> None:
    """A record comes back from its item with every bit of its scores, whole where the long output stays inside."""
    item = marshal(record.to_item(long_output=record.long_output()))

    assert repr(record_from_item(item)) == repr(record)


@given(record=RECORDS)
def test_item_without_long_output(record: SubmissionRecord) -> None:
    """Where long output lies in S3, it can be handed in, and without it only details and output are missing."""
    item = marshal(record.to_item(long_output=None))

    assert repr(record_from_item(item, long_output=record.long_output())) == repr(record)
    brief = record_from_item(item)
    assert brief.output is None
    assert [(one.part, one.scores, one.detail) for one in brief.evaluations] == [
        (one.part, one.scores, {}) for one in record.evaluations
    ]
