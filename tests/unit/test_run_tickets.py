"""Run tickets as text, and their seeds: nobody but the signer can make or change one."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.problems import has_secret, hide_secrets
from scoring_core.benchmarks.boards import list_windows
from scoring_core.benchmarks.zones import start_day
from submit.runs import RunTicket, TicketSigner
from tests.harness.stack import make_benchmark

SIGNER = TicketSigner.derive("s" * 32)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TICKET = RunTicket(NOON, 7200, "00" * 12, "0123456789abcdef", "coin-run", "level-1", "guest--4be19c07a2d85f3361e0")
TEXT = SIGNER.write(TICKET)
NAMES = st.text("abcxyzABC019-", min_size=1, max_size=64)


@given(
    st.builds(
        RunTicket,
        st.integers(0, 200_000_000_000_000).map(lambda milliseconds: EPOCH + timedelta(milliseconds=milliseconds)),
        st.integers(1, 7 * 86_400),
        st.binary(min_size=12, max_size=12).map(bytes.hex),
        st.none() | st.binary(min_size=8, max_size=8).map(bytes.hex),
        NAMES,
        st.none() | NAMES,
        NAMES,
    )
)
def test_ticket_is_read_as_it_was_written(ticket: RunTicket) -> None:
    """A ticket of any benchmark, part and player comes back as it was; its text is short, and no message has it."""
    text = SIGNER.write(ticket)

    assert SIGNER.read(text) == ticket
    assert len(text) <= 420
    assert has_secret(f"found {text}")
    assert hide_secrets(text) == "run_…"


def test_every_character_counts() -> None:
    """No position is free, however many bits of the last one mean nothing: another character makes it no ticket."""
    texts = [SIGNER.write(TICKET._replace(player=player)) for player in ("a", "ab", "abc")]
    changed = [
        text[:position] + other + text[position + 1 :]
        for text in texts
        for position, character in enumerate(text)
        for other in "AQgw_" + chr(ord(character) ^ 1)
        if other != character
    ]

    assert len({len(text) % 4 for text in texts}) == 3
    assert [text for text in changed if SIGNER.read(text)] == []


@given(st.text(max_size=600) | st.from_regex(r"run_[A-Za-z0-9_-]{0,600}", fullmatch=True))
def test_made_up_text_is_no_ticket(text: str) -> None:
    """Nothing that is made up is a ticket, nor one of another stack."""
    assert SIGNER.read(text) is None
    assert TicketSigner.derive("t" * 32).read(TEXT) is None


def test_seed_of_a_day() -> None:
    """The seed of a day is one for all, another for each day, part, benchmark and stack."""
    midnight = datetime(2026, 3, 2, tzinfo=UTC)
    today = SIGNER.make_daily_seed("coin-run", "level-1", NOON)

    same = [
        SIGNER.make_daily_seed("coin-run", "level-1", moment)
        for moment in (midnight - timedelta(days=1), midnight - timedelta(milliseconds=1))
    ]
    others = [
        SIGNER.make_daily_seed("coin-run", "level-1", midnight),
        SIGNER.make_daily_seed("coin-run", "level-2", NOON),
        SIGNER.make_daily_seed("coin-run", None, NOON),
        SIGNER.make_daily_seed("coin-sprint", "level-1", NOON),
        TicketSigner.derive("t" * 32).make_daily_seed("coin-run", "level-1", NOON),
        SIGNER.make_random_seed("00" * 12),
        SIGNER.make_random_seed("01" * 12),
    ]

    assert same == [today, today]
    assert len({today, *others}) == 8
    assert {len(seed) for seed in others} == {16}


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("UTC", "2026-11-23"),
        ("Asia/Tokyo", "2026-11-23"),
        ("Europe/Berlin", "2026-03-29"),  # of 23 hours
        ("Europe/Berlin", "2026-10-25"),  # of 25 hours
        ("America/Sao_Paulo", "2018-11-04"),  # it has no midnight
        ("America/Sao_Paulo", "2018-02-17"),  # its last hour comes twice
        ("America/St_Johns", "2006-10-29"),  # its first minute comes twice
        ("Pacific/Apia", "2011-12-31"),  # after a day that was skipped
    ],
)
def test_seed_of_a_day_is_that_of_the_daily_board(zone: str, day: str) -> None:
    """The seed changes at the moment when the board of the day begins, and never within it."""
    (window,) = list_windows(make_benchmark(windows=["daily"], time_zone=zone).definition, ())
    board = window.find(f"daily-{day}")
    assert board is not None
    assert board.span is not None
    instant, starts, ends = timedelta(milliseconds=1), board.span.starts, board.span.ends

    within = [starts, starts + timedelta(hours=1), ends - timedelta(hours=1), ends - instant]
    seeds = {SIGNER.make_daily_seed("coin-run", None, moment, time_zone=zone) for moment in within}
    others = {SIGNER.make_daily_seed("coin-run", None, moment, time_zone=zone) for moment in (starts - instant, ends)}

    assert len(seeds) == 1
    assert len(others - seeds) == 2


def test_zone_does_not_reveal_the_seed_of_another() -> None:
    """A date begins earlier in the east: its seed there is not the one that it has later in another zone."""
    zones = ["Pacific/Kiritimati", "Asia/Tokyo", "UTC", "Europe/Berlin", "America/Sao_Paulo"]
    noons = [start_day(date(2026, 11, 23), zone) + timedelta(hours=12) for zone in zones]

    seeds = {
        SIGNER.make_daily_seed("coin-run", None, noon, time_zone=zone) for zone, noon in zip(zones, noons, strict=True)
    }

    assert len(seeds) == len(zones)
