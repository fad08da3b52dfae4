"""The beat that a head names: it follows how often its board changes, and nothing else."""

from datetime import timedelta

import pytest

from aggregate.board import LONGEST_BEAT_SECONDS, choose_beat
from storage.boards.models import Counts, Head
from tests.unit.heads import make_head_of


def publish(head: Head, *, submissions: int, seconds: float) -> Head:
    """Return the next head, with so many submissions more after so many seconds."""
    counts = head.counts.model_copy(update={"submissions": head.counts.submissions + submissions})
    now = head.generated_at + timedelta(seconds=seconds)
    beat = choose_beat(head, counts, now=now)
    return head.model_copy(update={"counts": counts, "generated_at": now, "beat": beat})


def publish_often(head: Head, *, rate: float, seconds: float, every: float = 1.0) -> Head:
    """Return the head after a time in which so many submissions a second came."""
    for _ in range(int(seconds / every)):
        head = publish(head, submissions=round(rate * every), seconds=every)
    return head


@pytest.mark.parametrize(
    ("rate", "beat"),
    [(1, 2), (2, 4), (5, 10), (9, 18), (14, LONGEST_BEAT_SECONDS), (1000, LONGEST_BEAT_SECONDS)],
)
def test_beat_is_two_seconds_for_each_change_a_second(rate: int, beat: float) -> None:
    """A board that changes once a second names what pages do by themselves, and 20 s from ten a second on."""
    head = publish_often(make_head_of("ABCDE"), rate=rate, seconds=600)

    assert head.beat == pytest.approx(beat, rel=0.03)


def test_beat_does_not_depend_on_how_submissions_are_gathered() -> None:
    """A hundred at once every 20 s are five a second, as five each second are."""
    gathered = publish_often(make_head_of("ABCDE"), rate=5, seconds=600, every=20.0)

    assert gathered.beat == pytest.approx(10, rel=0.2)


def test_single_result_leaves_pages_their_own_rule() -> None:
    """On a quiet board, and on one with a result every three seconds, the beat is below two seconds."""
    first = publish(make_head_of("ABCDE"), submissions=1, seconds=86_400)
    steady = first
    for _ in range(200):
        steady = publish(steady, submissions=1, seconds=3)

    assert 0 < first.beat < 0.1
    assert steady.beat < 1


def test_beat_fades_within_minutes() -> None:
    """Five minutes after a flood one result makes pages fast again."""
    flood = publish_often(make_head_of("ABCDE"), rate=50, seconds=120)

    later = publish(flood, submissions=1, seconds=300)

    assert flood.beat == LONGEST_BEAT_SECONDS
    assert later.beat < 2


def test_withdrawals_and_other_changes_count() -> None:
    """A submission that leaves the board is a change, and so is a publish that counts none."""
    head = make_head_of("ABCDE")

    assert publish(head, submissions=-3, seconds=1).beat == publish(head, submissions=3, seconds=1).beat
    assert publish(head, submissions=0, seconds=1).beat == publish(head, submissions=1, seconds=1).beat


def test_nameless_guests_count() -> None:
    """Their submissions change the head too."""
    head = make_head_of("ABCDE")
    counts = Counts(players=head.counts.players, submissions=head.counts.submissions, unranked=600)

    assert choose_beat(head, counts, now=head.generated_at) == LONGEST_BEAT_SECONDS


def test_clock_that_runs_back_adds_no_beat() -> None:
    """Two publishers' clocks may differ: the moment before counts as now."""
    head = make_head_of("ABCDE").model_copy(update={"beat": 5.0})

    assert publish(head, submissions=1, seconds=-3600).beat == publish(head, submissions=1, seconds=0).beat
