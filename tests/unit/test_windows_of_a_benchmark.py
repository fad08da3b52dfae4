"""Which instance of a window a moment is in, and what is wrong with a list of windows."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.benchmarks.board_faults import find_board_faults
from scoring_core.benchmarks.boards import Board, Window, is_instance_of, list_windows
from scoring_core.benchmarks.definition import Definition
from scoring_core.benchmarks.validation import validate
from scoring_core.errors import BenchmarkError
from tests.harness.stack import COINS

PARTS = ["l1", "l2"]
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Asia/Ho_Chi_Minh",
    "America/St_Johns",
    "Pacific/Apia",
)
"""Among them: clocks that go forward at midnight, back at one past midnight, and over the date line."""
SEASON = {"id": "cup", "title": "Cup", "from": "2026-03-01T00:00:00Z", "to": "2026-04-01T00:00:00+01:00"}


def define(*windows: Any, zone: str = "UTC", **changes: Any) -> Definition:
    """Return the game with two levels and these windows."""
    return Definition.model_validate({**COINS, "parts": PARTS, "windows": windows, "time_zone": zone, **changes})


WINDOWS = {zone: list_windows(define("daily", "weekly", "monthly", zone=zone), PARTS) for zone in ZONES}


def find_window(window: str, zone: str) -> Window:
    """Return a window whose days are those of a zone."""
    return next(each for each in WINDOWS[zone] if each.id == window)


def find_hours(board: Board | None) -> float:
    """Return how long an instance takes."""
    assert board is not None
    assert board.span is not None
    return (board.span.ends - board.span.starts) / timedelta(hours=1)


@given(
    moment=st.datetimes(datetime(1985, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  # the zone is added
    zone=st.sampled_from(ZONES),
    window=st.sampled_from(["daily", "weekly", "monthly"]),
)
def test_each_moment_is_in_one_instance(moment: datetime, zone: str, window: str) -> None:
    """It contains the moment, is found by its id, and begins where the one before ends: so no other contains it."""
    found_in = find_window(window, zone)
    board = found_in.find_at(moment)

    assert board is not None
    assert board.span is not None
    assert board.span.contains(moment)
    assert not board.span.contains(board.span.ends)
    assert found_in.find(board.id) == board
    assert found_in.find_at(board.span.starts) == board
    assert is_instance_of(board.id, window)
    before = found_in.find(board.span.before or "")
    assert before is not None
    assert before.span is not None
    assert before.span.ends == board.span.starts


@pytest.mark.parametrize(
    ("window", "zone", "moment", "instance", "hours"),
    [
        ("daily", "Europe/Berlin", "2026-03-29T12:00Z", "daily-2026-03-29", 23),
        ("daily", "Europe/Berlin", "2026-10-25T12:00Z", "daily-2026-10-25", 25),
        ("daily", "America/Sao_Paulo", "2018-11-04T03:00Z", "daily-2018-11-04", 23),  # it has no midnight
        ("daily", "America/Sao_Paulo", "2018-02-18T02:30Z", "daily-2018-02-17", 25),  # 23:30 for the second time
        ("daily", "America/St_Johns", "2006-10-29T03:00Z", "daily-2006-10-29", 25),  # 23:31 again, after midnight
        ("daily", "Asia/Ho_Chi_Minh", "2026-11-22T16:59:59.999Z", "daily-2026-11-22", 24),
        ("daily", "Asia/Ho_Chi_Minh", "2026-11-22T17:00Z", "daily-2026-11-23", 24),
        ("daily", "UTC", "2028-02-29T00:00Z", "daily-2028-02-29", 24),
        ("weekly", "UTC", "2026-12-31T00:00Z", "weekly-2026-w53", 168),
        ("weekly", "UTC", "2027-01-04T00:00Z", "weekly-2027-w01", 168),
        ("weekly", "Europe/Berlin", "2026-10-25T12:00Z", "weekly-2026-w43", 169),
        ("monthly", "UTC", "2028-02-29T23:59Z", "monthly-2028-02", 696),
    ],
)
def test_days_and_weeks_are_those_of_the_zone(window: str, zone: str, moment: str, instance: str, hours: int) -> None:
    """Days have 23 or 25 hours where clocks change, and a week that began in the old year is its last."""
    board = find_window(window, zone).find_at(datetime.fromisoformat(moment))

    assert board is not None
    assert (board.id, find_hours(board)) == (instance, hours)


def test_skipped_day_is_no_instance() -> None:
    """Samoa had no 30 December 2011: the day after comes right after the day before."""
    daily = find_window("daily", "Pacific/Apia")

    after = daily.find("daily-2011-12-31")

    assert daily.find("daily-2011-12-30") is None
    assert after is not None
    assert after.span is not None
    assert after.span.before == "daily-2011-12-29"


def test_instances_are_listed_back() -> None:
    """The latest comes first; those that end before a moment are left out."""
    daily, cup = list_windows(define("daily", SEASON), PARTS)
    latest, earliest = datetime(2026, 3, 2, 5, tzinfo=UTC), datetime(2026, 2, 28, 5, tzinfo=UTC)

    assert [board.id for board in daily.list_back(latest, earliest)] == [
        "daily-2026-03-02",
        "daily-2026-03-01",
        "daily-2026-02-28",
    ]
    assert [board.id for board in cup.list_back(latest, earliest)] == ["cup"]
    assert not list(cup.list_back(earliest, earliest))
    assert cup.find_at(latest) == cup.find("cup")
    assert cup.find_at(datetime(2026, 3, 31, 23, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    "board",
    [
        "daily",
        "daily-2026-2-01",
        "daily-2026-02-30",
        "weekly-2026-w54",
        "weekly-2027-w53",
        "daily-0001-01-01",
        "x-daily-2026-02-01",
        "monthly-2026-13",
    ],
)
def test_impossible_instance_is_none(board: str) -> None:
    """A day that no calendar has, another form, and a year without a name."""
    assert all(window.find(board) is None for window in WINDOWS["UTC"])


def test_windows_of_a_board_take_what_it_takes() -> None:
    """Windows and parts multiply only where the owner lists them."""
    level = {"id": "l1", "title": "Level 1", "parts": ["l1"], "windows": ["daily", {**SEASON, "title": "Cup"}]}
    definition = define("weekly", boards=[level])

    weekly, daily, cup = list_windows(definition, PARTS)

    assert [weekly.id, daily.id, cup.id] == ["weekly", "l1-daily", "l1-cup"]
    assert (daily.title, cup.title) == ("Level 1: Today", "Level 1: Cup")
    board = daily.find("l1-daily-2026-03-01")
    assert board is not None
    assert (board.title, board.parts) == ("Level 1, 1 March 2026", ("l1",))
    assert Definition.model_validate_json(definition.model_dump_json()) == definition


def test_selection_differs_if_days_do() -> None:
    """Zone and span select; the title does not."""
    (daily,) = list_windows(define("daily"), PARTS)
    (named,) = list_windows(define({"id": "daily", "title": "Daily cup"}), PARTS)
    (there,) = list_windows(define("daily", zone="Europe/Berlin"), PARTS)

    assert daily.selects_as(named)
    assert not daily.selects_as(there)


@pytest.mark.parametrize(
    ("windows", "changes", "fault"),
    [
        (["daily", "daily"], {}, "windows[1].id: the id 'daily' is there twice, or is that of a board"),
        (["daily"], {"boards": [{"id": "daily", "title": "D", "parts": ["l1"]}]}, "windows[0].id: the id 'daily' is"),
        ([{**SEASON, "id": "daily-2026-03-01"}], {}, "windows[0].id: 'daily-2026-03-01' is an instance of 'daily'"),
        (
            ["daily"],
            {"boards": [{"id": "daily-2026-03-01", "title": "D", "parts": ["l1"]}]},
            "windows[0].id: 'daily-2026-03-01' is an instance of 'daily'",
        ),
        (
            [],
            {"boards": [{"id": "a-board-with-a-long-name", "title": "D", "parts": ["l1"], "windows": ["daily"]}]},
            "boards[0].windows[0].id: expected at most 32 characters, found 41",
        ),
        ([], {"zone": "Europe/Berlin"}, "time_zone: expected windows or `seed: daily`"),
        (
            [],
            {"zone": "Europe/Berlin", "runs": {"ticket": "required", "seed": "random"}},
            "time_zone: expected windows or `seed: daily`",
        ),
        (
            ["daily", "weekly", "monthly", *({**SEASON, "id": f"s{number}"} for number in range(5))],
            {},
            "boards: expected at most 8 that take one submission, found 9",
        ),
    ],
)
def test_wrong_windows_are_found(windows: list[Any], changes: dict[str, Any], fault: str) -> None:
    """The fault says where it is, and what was expected."""
    definition = define(*windows, **changes)

    assert [each[: len(fault)] for each in find_board_faults(definition, PARTS)] == [fault]


def test_daily_seed_has_days() -> None:
    """A benchmark without windows may name the zone of its daily seeds."""
    definition = define(zone="Europe/Berlin", runs={"ticket": "required", "seed": "daily"})

    assert list(find_board_faults(definition, PARTS)) == []


def test_seasons_one_after_the_other_take_one_submission_once() -> None:
    """Only seasons of one moment count together."""
    months = [
        {
            **SEASON,
            "id": f"s{month}",
            "from": f"2026-{month:02d}-01T00:00:00Z",
            "to": f"2026-{month + 1:02d}-01T00:00:00Z",
        }
        for month in range(1, 12)
    ]

    assert list(find_board_faults(define("daily", *months), PARTS)) == []


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("windows", ["dayly"], "windows[0]: expected one of daily, weekly, monthly, or a season with title"),
        ("windows", [{"id": "daily", "from": "2026-03-01T00:00:00Z"}], "windows[0]: daily comes again"),
        ("windows", [{**SEASON, "to": "2026-01-01T00:00:00Z"}], "windows[0]: from: expected a time before to"),
        ("windows", [{**SEASON, "form": 1}], "windows[0].form: unknown key; did you mean 'from'?"),
        ("windows", [{**SEASON, "from": "2026-03-01"}], "windows[0].from: expected a time with its zone"),
        ("time_zone", "Europe/Berln", "found 'Europe/Berln'; did you mean 'Europe/Berlin'?"),
        ("time_zone", "../../etc/passwd", "time_zone: expected a time zone as IANA names it"),
    ],
)
def test_wrong_window_is_explained(key: str, value: object, message: str) -> None:
    """A slip of the pen names the key, what was expected and what was found."""
    with pytest.raises(BenchmarkError) as caught:
        validate(Definition, {**COINS, "parts": PARTS, key: value}, file="benchmark.yaml")

    assert message in str(caught.value)
