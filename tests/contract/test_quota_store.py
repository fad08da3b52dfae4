"""Quotas: exactly as many pass as may, and counting twice, moving or freeing an id is idempotent."""

from concurrent.futures import ThreadPoolExecutor
from copy import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from local.template import Template
from scoring_core.benchmarks.terms import DailyLimits
from scoring_core.outcome import Outcome
from storage.gateway.errors import Busy
from storage.gateway.table import Table
from storage.players.quotas import TURN, QuotaExceeded, QuotaKey, QuotaKind, QuotaStore, quotas_of
from storage.submissions.models import PlayerKind, Submission
from tests.contract.conftest import MakeSubmission, intercept
from tests.harness.factories import make_guest, make_player
from tests.harness.raw_cloud import RawCloud
from tests.harness.stack import failing

GUEST = make_guest("Ada")
SHARED = 3
ADDRESS = DailyLimits(SHARED, SHARED)
"""What guests at an address may submit together, unless a test says otherwise."""
QUOTA = QuotaKey("coin-run", "anna", datetime(2026, 1, 2, tzinfo=UTC).date())


@pytest.fixture
def quotas(cloud: RawCloud, template: Template) -> QuotaStore:
    """The store of quotas."""
    return QuotaStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


def charge(
    quotas: QuotaStore, submission: Submission, *, per_day: int = 2, invalid_per_day: int = 2, shared: int = SHARED
) -> bool:
    """Count a submission, and tell whether it passed."""
    try:
        quotas.charge(submission, DailyLimits(per_day, invalid_per_day), shared=DailyLimits(shared, shared))
    except QuotaExceeded:
        return False
    return True


def test_what_is_submitted_in_all_never_comes_back(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """It counts over all days, submissions and entries of batches; what has no score does not count, and once each."""
    ever = QuotaKey("coin-run", "anna", None)

    def count(submission: Submission) -> list[int]:
        return [each.left for each in quotas.charge(submission, DailyLimits(9, 9), shared=ADDRESS, in_all=3)]

    first, second = make_submission(), make_submission()
    entries = [replace(make_submission(), batch="b") for _ in range(3)]
    assert (count(first), count(second), count(first)) == ([8, 2], [7, 1], [7, 1])
    assert [quotas.charge_entries(entries, in_all=3) for _ in range(2)] == [1, 1]
    with pytest.raises(QuotaExceeded) as refused:
        count(make_submission())
    assert (refused.value.quota, refused.value.limit, refused.value.resets_at) == (ever, 3, None)
    for _ in range(2):
        quotas.settle(second, Outcome.INVALID, in_all=True)
        quotas.settle(entries[0], Outcome.INVALID, in_all=True)
    assert quotas.charge_entries(entries[1:], in_all=3) == 2
    quotas.refund(first, in_all=True)
    (item,) = quotas.table.get_many([{"key": "quota#coin-run#anna#all"}])
    assert (item["count"]["N"], len(item["recent"]["SS"]), "expires_at" in item) == ("2", 2, False)

    many = [make_submission() for _ in range(TURN + 2)]
    assert quotas.charge_entries(many, in_all=1_000) == quotas.charge_entries(many, in_all=1_000) == TURN + 2
    with ThreadPoolExecutor(8) as pool:
        more = list(pool.map(lambda each: quotas.charge_entries([each], in_all=TURN + 9), map(replace, [first] * 2)))
    assert more == [1, 1], "two members at once are one try if it is one submission"


def test_fifty_at_once(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """Of fifty that come at the same time exactly ten pass."""
    rush = [make_submission() for _ in range(50)]

    with ThreadPoolExecutor(16) as pool:
        passed = list(pool.map(lambda one: charge(quotas, one, per_day=10), rush))

    assert sum(passed) == 10


@pytest.mark.parametrize(
    "other",
    [{"benchmark": "other"}, {"player": make_player("bo", "Bo", PlayerKind.MODEL)}, {"player": GUEST}],
)
def test_quotas_are_apart(quotas: QuotaStore, make_submission: MakeSubmission, other: dict[str, Any]) -> None:
    """Another benchmark, another player and the guests have quotas of their own."""
    charge(quotas, make_submission(), per_day=1)

    assert not charge(quotas, make_submission(), per_day=1)
    assert charge(quotas, make_submission(**other), per_day=1)


def test_guests_name_has_a_quota_everywhere(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """A guest's name has one quota at all addresses, and what it rejects does not count at the address."""
    charge(quotas, make_submission(player=GUEST, origin="a1"), per_day=1)
    refused = [charge(quotas, make_submission(player=GUEST, origin="b2"), per_day=1) for _ in range(4)]
    others = [replace(GUEST, id=f"guest-{name}") for name in ("bo", "cy", "di")]

    assert refused == [False] * 4
    assert all(charge(quotas, make_submission(player=other, origin="b2"), per_day=1) for other in others)


def test_guests_without_a_name_share_the_address_alone(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """Guests without a name are many, so only the address limits them."""
    nameless = replace(GUEST, id="guest", name="guest")
    passed = [charge(quotas, make_submission(player=nameless, origin="a1"), per_day=1) for _ in range(4)]

    assert passed == [True] * SHARED + [False]


def test_what_is_given_back_at_once_is_bounded(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """Results that settle late, all of a day at once, pass the bound by less than a quota."""
    taken = 0
    while rush := [one for one in (make_submission() for _ in range(7)) if charge(quotas, one, per_day=5)]:
        taken += len(rush)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda one: quotas.settle(one, Outcome.EVALUATOR_ERROR), rush * 2))

    assert taken == 15


def test_entry_of_a_batch_stays_charged(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """Whatever becomes of the entries of a day, no others take their place; single results count apart."""
    drop = [make_submission(batch="d") for _ in range(3)]
    charged = [quotas.charge_batch(QUOTA, "a", [each.id for each in drop], per_day=3)]
    for entry in drop:
        quotas.settle(entry, Outcome.EVALUATOR_ERROR)
    charged.append(quotas.charge_batch(QUOTA, "b", [make_submission().id], per_day=3))

    assert charged == [3, 0]
    assert charge(quotas, make_submission(), per_day=1)


def test_lowered_quota_of_batches_counts_no_more(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """A player who has used more than a new version allows gets no more, though what is counted stays."""
    ids = [make_submission().id for _ in range(6)]
    quotas.charge_batch(QUOTA, "a", ids[:4], per_day=4)

    again = quotas.charge_batch(QUOTA, "a", ids[:4], per_day=2)
    new = quotas.charge_batch(QUOTA, "b", ids[4:], per_day=2)

    assert (again, new) == (4, 0)


@pytest.mark.parametrize("before", [0, 1])
def test_drops_that_meet(quotas: QuotaStore, make_submission: MakeSubmission, before: int) -> None:
    """Two drops that are charged at once have one quota: what the other took in between is taken."""
    ids = [make_submission().id for _ in range(6)]
    if before:
        quotas.charge_batch(QUOTA, "a", ids[:1], per_day=3)
    rival = [lambda: quotas.charge_batch(QUOTA, "b", ids[1:3], per_day=3)]

    def update(*asked: Any) -> Any:
        if rival:
            rival.pop()()
        return quotas.table.client.update(*asked)

    late = replace(quotas, table=intercept(quotas.table, update=update))
    counted = late.charge_batch(QUOTA, "c", ids[3:], per_day=3)

    assert counted == 3 - 2 - before


def test_tickets_at_once(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """Of fifty uploads that are asked for at the same time exactly ten are allowed; results count apart."""
    quota = quotas_of(make_submission())[0]

    def ask(_: int) -> bool:
        try:
            quotas.charge_action(quota, QuotaKind.TICKETS, per_day=10)
        except QuotaExceeded:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        allowed = sum(pool.map(ask, range(50)))

    assert allowed == 10
    assert charge(quotas, make_submission(), per_day=1)


def test_busy_address_uses_up_no_name(quotas: QuotaStore, cloud: RawCloud, make_submission: MakeSubmission) -> None:
    """A guest whose address cannot be counted is answered to try again, and has as many tries of the day as before."""
    submission = make_submission(player=GUEST, origin="0123456789abcdef")

    with failing(cloud.dynamodb, "UpdateItem", about="#origin#"), pytest.raises(Busy):
        charge(quotas, submission, per_day=1)

    assert charge(quotas, make_submission(player=GUEST, origin="0123456789abcdef"), per_day=1)


def test_item_does_not_grow(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """A class behind one address, and a batch of ten thousand, leave an item of a write unit."""
    for _ in range(3 * TURN):
        submission = make_submission(player=GUEST, origin="0123456789abcdef")
        charge(quotas, submission, per_day=1_000, invalid_per_day=1_000, shared=1_000)
    quotas.charge_batch(QUOTA, "a", [str(number) for number in range(10_000)], per_day=10_000)

    sizes = [measure(item) for item in read_items(quotas)]
    assert len(sizes) == 3
    assert max(sizes) <= 1024


def test_what_is_forgotten_stays_charged(quotas: QuotaStore, make_submission: MakeSubmission) -> None:
    """An outcome after so many other charges finds no id: the submission counts as used for the day."""
    first = make_submission()
    charge(quotas, first, per_day=1_000)
    for _ in range(2 * TURN):
        charge(quotas, make_submission(), per_day=1_000)

    quotas.settle(first, Outcome.INTERNAL_ERROR)

    (item,) = read_items(quotas)
    assert (item["count"]["N"], "freed" in item) == (str(2 * TURN + 1), False)


def read_items(quotas: QuotaStore) -> list[dict[str, Any]]:
    """Read all items."""
    return [dict(item) for item in quotas.table.client.scan(TableName=quotas.table.name)["Items"]]


def measure(item: dict[str, Any]) -> int:
    """Return at least the size of an item."""
    values = [member for value in item.values() for content in value.values() for member in content]
    return sum(map(len, item)) + sum(map(len, values))
