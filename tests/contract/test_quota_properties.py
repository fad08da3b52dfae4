"""Quotas agree with a plain model, whatever is repeated, comes in disorder, or dies after its effect."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from local.template import Template
from scoring_core.benchmarks.terms import DailyLimits
from scoring_core.outcome import Outcome
from storage.gateway.table import Table
from storage.keys import make_submission_id
from storage.players.quotas import TIMES_FREED, QuotaExceeded, QuotaStore, quotas_of
from storage.submissions.models import Submission
from tests.harness.factories import NOON, make_submission
from tests.harness.raw_cloud import RawCloud

TURN = 3
PER_DAY, INVALID_PER_DAY, BATCHES_PER_DAY = 6, 3, 8
LIMITS = DailyLimits(PER_DAY, INVALID_PER_DAY)
NUMBERS = itertools.count()
CHARGES = st.tuples(st.just("charge"), st.integers(0, TURN))
SETTLES = st.tuples(st.just("settle"), st.integers(0, TURN - 1), st.sampled_from(Outcome))
REFUNDS = st.tuples(st.just("refund"), st.integers(0, TURN - 1))
CHUNKS = st.tuples(st.just("chunk"), st.integers(0, 4))
STEPS = st.lists(st.tuples(CHARGES | SETTLES | REFUNDS | CHUNKS, st.booleans()), max_size=40)


@dataclass
class Model:
    """What a day may hold: plain sets and counts, which forget nothing."""

    used: set[str] = field(default_factory=set)
    invalid: int = 0
    freed: int = 0
    chunks: dict[int, int] = field(default_factory=dict)
    batches: int = 0

    def charge(self, submission: str) -> bool:
        """Count a submission; return whether it passes."""
        if submission in self.used:
            return True
        if self.invalid >= INVALID_PER_DAY or self.freed >= TIMES_FREED * PER_DAY or len(self.used) >= PER_DAY:
            return False
        self.used.add(submission)
        return True

    def settle(self, submission: str, outcome: Outcome) -> None:
        """Move or free what was counted."""
        if submission in self.used and outcome is not Outcome.SCORED:
            self.used.remove(submission)
            self.invalid += outcome is Outcome.INVALID
            self.freed += outcome is not Outcome.INVALID

    def charge_chunk(self, chunk: int, length: int) -> int:
        """Count the entries of a chunk; return how many."""
        before = self.chunks.get(chunk, 0)
        more = min(max(0, BATCHES_PER_DAY - self.batches), length - before)
        self.batches += more
        self.chunks[chunk] = before + more
        return before + more


@dataclass
class Day:
    """A player's day in the store and in the model, which must agree after each step."""

    quotas: QuotaStore
    benchmark: str
    model: Model = field(default_factory=Model)
    charged: list[Submission] = field(default_factory=list)

    def step(self, action: tuple[Any, ...]) -> None:
        """Do something to both."""
        getattr(self, action[0])(*action[1:])
        self.compare()

    def charge(self, back: int) -> None:
        """Charge a new submission, or one of the last few again."""
        repeats = back < len(self.charged[-TURN:])
        submission = self.charged[-1 - back] if repeats else self.make()
        try:
            self.quotas.charge(submission, LIMITS, shared=LIMITS)
            passed = True
        except QuotaExceeded:
            passed = False
        assert passed is self.model.charge(submission.id)
        if passed:
            # What was taken out and is charged again is remembered as long as any other.
            self.charged = [other for other in self.charged if other != submission] + [submission]

    def settle(self, back: int, outcome: Outcome) -> None:
        """Settle one of the last few submissions."""
        if back < len(self.charged[-TURN:]):
            submission = self.charged[-1 - back]
            self.quotas.settle(submission, outcome)
            self.model.settle(submission.id, outcome)

    def refund(self, back: int) -> None:
        """Refund one of the last few submissions."""
        if back < len(self.charged[-TURN:]):
            submission = self.charged[-1 - back]
            self.quotas.refund(submission)
            self.model.used.discard(submission.id)

    def chunk(self, number: int) -> None:
        """Charge a part of a batch, perhaps again."""
        ids = [f"{number}-{entry}" for entry in range(number)]
        quota = quotas_of(self.make(batch="d"))[0]
        counted = self.quotas.charge_batch(quota, f"d#{number}", ids, per_day=BATCHES_PER_DAY)
        assert counted == self.model.charge_chunk(number, len(ids))

    def make(self, **changes: Any) -> Submission:
        """Make a submission of this day."""
        id_ = make_submission_id(NOON, next(NUMBERS).to_bytes(10))
        return make_submission(id=id_, benchmark=self.benchmark, **changes)

    def compare(self) -> None:
        """Compare the counts, and how much is remembered."""
        day = self.quotas._read(quotas_of(self.make())[0])
        assert day.number("count") == len(self.model.used)
        assert day.number("invalid_count") == self.model.invalid
        assert day.number("freed") == self.model.freed
        assert day.number("batch_count") == self.model.batches
        assert all(len(day.ids(name)) <= TURN for name in ("recent", "earlier"))


@pytest.fixture
def quotas(cloud: RawCloud, template: Template) -> QuotaStore:
    """The store of quotas, which remembers little."""
    return QuotaStore(Table(cloud.dynamodb, template.resources["AccessTable"].name), turn=TURN)


@given(STEPS)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_quotas_agree_with_a_plain_model(quotas: QuotaStore, steps: list[tuple[tuple[Any, ...], bool]]) -> None:
    """Of what is remembered everything is counted once, nothing exceeds its quota, and nothing is freed twice.

    Each step may be done twice: a process that dies before it has the answer is replaced by one that tries again.
    """
    day = Day(quotas, f"benchmark-{next(NUMBERS)}")
    for action, dies in steps:
        day.step(action)
        if dies and action[0] != "charge":
            day.step(action)
        elif dies and day.charged:
            day.step(("charge", 0))
