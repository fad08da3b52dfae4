"""Time zones from the package `tzdata`: the same days everywhere, also where a system has no zones, as in Lambda.

Without pydantic, and without the names of zones until they are needed: the POST of a result imports this.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from typing import Final

UTC_NAME: Final = "UTC"
_LONGEST: Final = 64
_DAY: Final = timedelta(days=1)


@cache
def find_zone(name: str) -> tzinfo:
    """Return a time zone by its IANA name.

    Raises ValueError if there is no such zone; the message says what was expected.
    """
    if name == UTC_NAME:
        return UTC
    from importlib.resources import files  # noqa: PLC0415  # these four are not needed by the benchmarks in UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415

    from scoring_core.benchmarks.validation import show_value  # noqa: PLC0415
    from scoring_core.io.text import suggest_nearest  # noqa: PLC0415

    data = files("tzdata")
    names = (data / "zones").read_text().split()
    if name not in names:
        hint = suggest_nearest(name[:_LONGEST], names).removeprefix(f"known are {', '.join(names)}")
        raise ValueError(
            f"expected a time zone as IANA names it, such as Europe/Berlin, found {show_value(name)}"
            f"{'; ' if hint else ''}{hint}"
        )
    with (data / "zoneinfo" / name).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def start_day(day: date, time_zone: str) -> datetime:
    """Return the first moment of a day, in UTC.

    Where clocks leave midnight out it is the first moment after; where they repeat it, the first of both.
    """
    return datetime.combine(day, time(), tzinfo=find_zone(time_zone)).astimezone(UTC)


def find_day(moment: datetime, time_zone: str) -> date:
    """Return the day of a zone that a moment is in.

    Where clocks go back over midnight, a date comes twice; the day goes on.
    """
    day = moment.astimezone(find_zone(time_zone)).date()
    while moment < start_day(day, time_zone):
        day -= _DAY
    while moment >= start_day(day + _DAY, time_zone):
        day += _DAY
    return day
