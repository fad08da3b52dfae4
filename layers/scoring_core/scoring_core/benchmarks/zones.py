"""Time zones from the package `tzdata`: the same days everywhere, also where a system has no zones, as in Lambda."""

from datetime import UTC, tzinfo
from functools import cache
from importlib.resources import files
from typing import Final

from scoring_core.benchmarks.validation import show_value
from scoring_core.io.suggestions import suggest_nearest

UTC_NAME: Final = "UTC"
_LONGEST: Final = 64


@cache
def find_zone(name: str) -> tzinfo:
    """Return a time zone by its IANA name.

    Raises:
        ValueError: There is no such zone; the message says what was expected.
    """
    if name == UTC_NAME:
        return UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # not needed by the benchmarks in UTC

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
