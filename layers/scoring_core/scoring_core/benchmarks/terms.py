"""The terms of a benchmark: the form of its id, when it is open, and what is accepted before a scorer sees it.

`laurel check` asks the same of each example. All of it without pydantic, which takes a cold start longer than
everything else that a POST needs.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from scoring_core.benchmarks.zones import UTC_NAME
from scoring_core.errors import StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.formats import JSON, find_content_fault, format_of
from scoring_core.io.text import list_some
from scoring_core.scorers.base import describe

if TYPE_CHECKING:
    from scoring_core.benchmarks.owner_changes import ArchiveMark

DAILY, WEEKLY, MONTHLY = "daily", "weekly", "monthly"
RECURRING = (DAILY, WEEKLY, MONTHLY)
"""The windows that come again; every other one is a season."""
BENCHMARK_ID = "[a-z0-9-]{1,64}"
MAX_PER_DAY = 10_000
MAX_IN_ALL = 1_000
GUESTS_PER_ADDRESS = 30
"""How many players' quotas the guests at a network address share, so that a class of so many can play."""
_IS_BENCHMARK_ID = re.compile(BENCHMARK_ID)

_IS_DURATION = re.compile(r"([0-9]{1,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}

type Phase = Literal["not_open_yet", "open", "closed"]
type SeedKind = Literal["daily", "random"]


class DailyLimits(NamedTuple):
    """How many results, and how many invalid ones, are accepted on a day."""

    per_day: int
    invalid_per_day: int


class RunTerms(NamedTuple):
    """What a benchmark demands of run tickets, in seconds.

    Args:
        seed: Which seed a ticket has: that of the day, one of its own, or None.
        max_age_seconds: How long a new ticket is valid.
        at_least_seconds: How long after its ticket a result is accepted at the earliest.
        time_zone: Whose day the daily seed is of: that of the daily boards.
    """

    seed: SeedKind | None
    max_age_seconds: int
    at_least_seconds: int
    time_zone: str = UTC_NAME


class SubmissionTerms(NamedTuple):
    """What a published benchmark says about submissions; the names are those of its definition.

    Three are not defined: `bans`, the players and names whose results are rejected, each with the public reason,
    `extensions`, until when players have more time, and `archived`, while the benchmark is. Until `late_until` results
    are taken after `closes`. Without `runs` a result needs no run ticket. With `runs_own` it may come in parts.
    """

    id: str
    version: str
    parts: tuple[str, ...]
    needs_part: bool
    anonymous: bool
    max_bytes: int
    per_day: int
    invalid_per_day: int
    opens: datetime | None
    closes: datetime | None
    takes_labels: bool = False
    takes: tuple[str, ...] = (JSON,)
    runs: RunTerms | None = None
    bans: Mapping[str, str] = MappingProxyType({})
    archived: "ArchiveMark | None" = None
    in_all: int | None = None
    late_until: datetime | None = None
    extensions: Mapping[str, datetime] = MappingProxyType({})
    runs_own: bool = False

    @property
    def limits_of_player(self) -> DailyLimits:
        """The limits of a player whom a token names."""
        return DailyLimits(self.per_day, self.invalid_per_day)

    @property
    def limits_of_address(self) -> DailyLimits:
        """The limits of all guests at a network address together."""
        limits = (min(limit * GUESTS_PER_ADDRESS, MAX_PER_DAY) for limit in self.limits_of_player)
        return DailyLimits(*limits)

    def is_late(self, moment: datetime, player: str) -> bool:
        """Return whether a result of a player comes late at this moment."""
        return is_late(moment, self.closes, self.extensions.get(player))

    def find_closed(self, moment: datetime, player: str) -> tuple[str, str] | None:
        """Return why no result of a player is taken then: a problem and a sentence."""
        if self.archived is not None and moment >= self.archived.at:
            return "archived", self.archived.describe()
        if self.opens and moment < self.opens:
            return "not-open-yet", f"this benchmark opens at {self.opens.isoformat()}"
        if self.closes and self.is_late(moment, player) and not (self.late_until and moment < self.late_until):
            return "closed", f"this benchmark closed at {self.closes.isoformat()}"
        return None


def read_seconds(duration: str) -> int | None:
    """Return the seconds of `90s`, `5m`, `2h` or `7d`; None for any other text.

    >>> read_seconds("90s"), read_seconds("2h"), read_seconds("2 hours")
    (90, 7200, None)
    """
    match = _IS_DURATION.fullmatch(duration)
    return match and int(match[1]) * _SECONDS[match[2]]


def is_benchmark_id(text: str) -> bool:
    """Return whether a text may be a benchmark's id."""
    return _IS_BENCHMARK_ID.fullmatch(text) is not None


def is_late(moment: datetime, closes: datetime | None, until: datetime | None) -> bool:
    """Return whether a result is late, of a player with time `until`."""
    return closes is not None and moment >= (closes if until is None else max(closes, until))


def find_phase(moment: datetime, *, opens: datetime | None, closes: datetime | None) -> Phase:
    """Return the phase at this moment; `opens` is inclusive, `closes` exclusive."""
    if opens and moment < opens:
        return "not_open_yet"
    return "closed" if closes and moment >= closes else "open"


def find_result_fault(content: bytes, file_format: str) -> str | None:
    """Return why bytes are no result of a format; None if they are one."""
    fault = find_content_fault(content, file_format)
    if fault is not None or file_format != JSON:
        return fault
    try:
        return find_value_fault(strict_json.loads(content))
    except StrictJsonError as error:
        return f"expected JSON: {error}"


def read_format(file: str, takes: Sequence[str]) -> str:
    """Return the format of a file: what its ending says, else JSON.

    Where JSON is not taken, it is the first that is.

    >>> read_format("result.csv", ["json", "csv"]), read_format("result", ["csv"])
    ('csv', 'csv')
    """
    return format_of(file) or (JSON if JSON in takes else takes[0])


def find_value_fault(value: object) -> str | None:
    """Return why a JSON value is no result; None if it is one."""
    return None if isinstance(value, dict | list) else f"expected an object or an array, found {describe(value)}"


def find_part_fault(part: str | None, parts: Sequence[str], *, needs_part: bool) -> str | None:
    """Return what is wrong with the part that a submission names; None if nothing is."""
    if part is None:
        return f"part: expected one of {list_some(parts)}, found none" if needs_part and parts else None
    if part in parts:
        return None
    expected = f"one of {list_some(parts)}" if parts else "none: this benchmark has no parts"
    return f"part: expected {expected}, found {part[:64]!r}"
