"""The terms that a POST reads from a pointer, without pydantic, are those of the model that wrote it."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.benchmarks.definition import MAX_PARTS, MAX_PER_DAY, MAX_RESULT_BYTES, Definition
from scoring_core.benchmarks.terms import SubmissionTerms
from scoring_core.scorers import NEED_PART, SCORERS
from storage.benchmarks.store import PublishedBenchmark
from storage.benchmarks.terms import read_terms
from storage.gateway.errors import NewerSchema
from storage.gateway.schema import Schema
from tests.harness.stack import EVENTS, ROOT

SAMPLES = ROOT / "tests" / "contract" / "samples"
POINTERS = [*SAMPLES.glob("pointer-*.json")]
PARTS = st.lists(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True), max_size=5, unique=True)
PER_DAY = st.integers(1, MAX_PER_DAY)
RULES = st.fixed_dictionaries(
    {},
    optional={
        "anonymous": st.booleans(),
        "takes": st.just(["json"]),
        "max_bytes": st.integers(1, MAX_RESULT_BYTES),
        "per_day": PER_DAY,
        "invalid_per_day": PER_DAY,
        "drop_per_day": PER_DAY,
    },
)
RUNS = st.fixed_dictionaries(
    {"ticket": st.just("required")},
    optional={
        "seed": st.sampled_from(["daily", "random"]),
        "max_age": st.sampled_from(["61s", "2h", "7d"]),
        "at_least": st.sampled_from(["0s", "3s", "1m"]),
    },
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=ZONES)  # noqa: DTZ001  # as Hypothesis has it


def publish(definition: Definition, *, version: str = "0123456789abcdef", parts: tuple[str, ...]) -> PublishedBenchmark:
    """Return the pointer of a benchmark."""
    return PublishedBenchmark(
        publish_number=1,
        version=version,
        bundle_sha256="",
        published_at=datetime(2026, 1, 1, tzinfo=UTC),
        definition=definition,
        parts=parts,
        description="",
        sample=None,
    )


def expect(published: PublishedBenchmark) -> SubmissionTerms:
    """Return the terms as the model says them."""
    definition, rules = published.definition, published.definition.submissions
    return SubmissionTerms(
        id=published.id,
        version=published.version,
        parts=published.parts,
        needs_part=definition.needs_part,
        anonymous=rules.anonymous,
        max_bytes=rules.max_bytes,
        per_day=rules.per_day,
        invalid_per_day=rules.invalid_per_day,
        opens=definition.opens,
        closes=definition.closes,
        takes_labels=definition.takes_labels,
        takes=rules.takes,
        runs=definition.runs and definition.runs.terms._replace(time_zone=definition.time_zone),
        bans=published.bans,
        archived=published.archived,
        in_all=rules.in_all,
    )


def check(pointer: bytes) -> None:
    """Check that the reader agrees with the model, also on how the moments are written in answers."""
    published = PublishedBenchmark.model_validate_json(pointer)
    expected = expect(published)

    terms = read_terms(pointer)

    assert published.terms == expected

    assert terms == expected
    assert [moment and moment.isoformat() for moment in (terms.opens, terms.closes)] == [
        moment and moment.isoformat() for moment in (expected.opens, expected.closes)
    ]


@pytest.fixture
def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model refuses to read, so what is read is read without it."""
    monkeypatch.setattr(PublishedBenchmark, "model_validate_json", None)


@given(
    rules=RULES,
    declared=PARTS,
    parts=PARTS,
    moments=st.tuples(st.none() | MOMENTS, st.none() | MOMENTS).filter(lambda both: not all(both) or both[0] < both[1]),
    scoring=st.tuples(st.sampled_from(list(SCORERS)), st.none() | RUNS, st.sampled_from(["UTC", "Asia/Tokyo"])),
)
def test_terms_of_any_definition_agree(
    rules: dict[str, Any],
    declared: list[str],
    parts: list[str],
    moments: tuple[datetime | None, datetime | None],
    scoring: tuple[str, dict[str, str] | None, str],
) -> None:
    """Whatever a definition says, both readers find the same."""
    opens, closes = (moment and moment.isoformat() for moment in moments)
    scorer, runs, time_zone = scoring
    changes = {"submissions": rules, "parts": declared, "opens": opens, "closes": closes, "scorer": scorer}
    changes |= {"runs": runs if scorer in NEED_PART else None, "time_zone": time_zone}

    check(publish(Definition.model_validate({**EVENTS, **changes}), parts=tuple(parts)).to_body())


@pytest.mark.parametrize("path", POINTERS, ids=lambda path: path.stem)
def test_every_stored_form_is_read(path: Path) -> None:
    """Every pointer that was ever written has terms."""
    check(path.read_bytes())


def test_pointer_is_read_without_the_model(without_model: None) -> None:
    """What this release writes needs no model to be read."""
    body = publish(Definition.model_validate(EVENTS), parts=("a",) * MAX_PARTS).to_body()

    assert len(read_terms(body).parts) == MAX_PARTS


def test_newer_pointer_is_refused(without_model: None) -> None:
    """What newer code wrote is left to newer code."""
    pointer = json.loads(publish(Definition.model_validate(EVENTS), parts=()).to_body())
    pointer["schema"] = Schema.POINTER.newest + 1

    with pytest.raises(NewerSchema):
        read_terms(json.dumps(pointer).encode())
