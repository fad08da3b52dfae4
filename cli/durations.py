"""Durations as people type them."""

import re
from datetime import timedelta

_DURATION = re.compile(r"(\d{1,4})([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}


def read_duration(text: str) -> timedelta | None:
    """Read hours, days or weeks such as `12h`, `90d` or `52w`; None where it is something else."""
    found = _DURATION.fullmatch(text)
    return found and timedelta(hours=int(found[1]) * _HOURS[found[2]])
