"""Submission ids: UUIDv7, sorted by time, and no time that is no date."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.keys import SHARED_LENGTH, derive_submission_id, is_submission_id, make_submission_id, time_of

MOMENTS = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9999, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001  # Hypothesis adds the zone
RANDOMNESS = st.binary(min_size=10, max_size=10)


def test_example_of_the_rfc() -> None:
    """RFC 9562, appendix A.6: the example's time and random bits give the example's UUID."""
    moment = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)
    randomness = (0xCC3 << 64 | 0x18C4DC0C0C07398F).to_bytes(10)

    assert make_submission_id(moment, randomness) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@given(moment=MOMENTS, randomness=RANDOMNESS)
def test_id_is_a_canonical_uuid_of_version_7(moment: datetime, randomness: bytes) -> None:
    """An id is one of the RFC's variant; its moment comes back to the millisecond, rounded down, in UTC."""
    made = make_submission_id(moment, randomness)
    back = time_of(made)

    assert is_submission_id(made)
    assert str(uuid.UUID(made)) == made
    assert uuid.UUID(made).version == 7
    assert uuid.UUID(made).variant == uuid.RFC_4122
    assert timedelta(0) <= moment - back < timedelta(milliseconds=1)
    assert (back.microsecond % 1000, back.tzinfo) == (0, UTC)


@given(first=MOMENTS, second=MOMENTS, randomness=st.lists(RANDOMNESS, min_size=2, max_size=2))
def test_ids_sort_by_time(first: datetime, second: datetime, randomness: list[bytes]) -> None:
    """Of two ids made a millisecond or more apart the earlier sorts first, whatever their randomness."""
    one, other = sorted((first, second))
    if other - one < timedelta(milliseconds=1):
        return

    assert make_submission_id(one, randomness[0]) < make_submission_id(other, randomness[1])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f",
        "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
        "017f22e279b07cc398c4dc0c0c07398f",
        "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n",
        "e677d21f-dc00-7000-8000-000000000000",
        "ffffffff-ffff-7fff-bfff-ffffffffffff",
    ],
)
def test_no_submission_id(text: str) -> None:
    """Other versions, other forms, and times from the year 10000 on are no submission ids."""
    assert not is_submission_id(text)


def test_last_millisecond_is_read_back() -> None:
    """The last millisecond that is a date can be read."""
    last = "e677d21f-dbff-7000-8000-000000000000"

    assert is_submission_id(last)
    assert time_of(last) == datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)


@given(moment=MOMENTS, names=st.lists(st.tuples(st.text(), st.text(), st.text()), min_size=2, max_size=2, unique=True))
def test_derived_ids_are_unique_and_share_their_moment(moment: datetime, names: list[tuple[str, str, str]]) -> None:
    """An entry has one id, which no other entry of any drop has; all ids of a moment begin alike."""
    first, again, other = (
        derive_submission_id(moment, key=key, version_id=version_id, entry=entry)
        for key, version_id, entry in (names[0], names[0], names[1])
    )

    assert is_submission_id(first)
    assert first == again != other
    assert first[:SHARED_LENGTH] == other[:SHARED_LENGTH]
    assert time_of(first) == time_of(make_submission_id(moment, bytes(10)))


def test_derivation_of_ids_never_changes() -> None:
    """The derivation is written in every drop that was ever read: it never changes."""
    moment = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)

    derived = derive_submission_id(moment, key="drops/coin-run/ada/a.jsonl", version_id="v1", entry="line 1")

    assert derived == "017f22e2-79b0-76c3-b355-18cadb545ed5"
