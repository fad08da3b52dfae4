"""The terms of a benchmark: the form of its id, when it is open, and what a submission is checked against.

All of it without pydantic, which takes a cold start longer than everything else that a POST needs.
"""

import re
from datetime import datetime
from typing import Literal, NamedTuple

BENCHMARK_ID = "[a-z0-9-]{1,64}"
_IS_BENCHMARK_ID = re.compile(BENCHMARK_ID)

type Phase = Literal["not_open_yet", "open", "closed"]


class SubmissionTerms(NamedTuple):
    """What a published benchmark says about submissions; the names are those of its definition."""

    id: str
    version: str
    parts: tuple[str, ...]
    runs_script: bool
    anonymous: bool
    max_bytes: int
    per_day: int
    invalid_per_day: int
    opens: datetime | None
    closes: datetime | None
    takes_labels: bool = False

    def phase_at(self, moment: datetime) -> Phase:
        """Return the phase at this moment."""
        return find_phase(moment, opens=self.opens, closes=self.closes)


def is_benchmark_id(text: str) -> bool:
    """Return whether a text may be a benchmark's id."""
    return _IS_BENCHMARK_ID.fullmatch(text) is not None


def find_phase(moment: datetime, *, opens: datetime | None, closes: datetime | None) -> Phase:
    """Return the phase at this moment; `opens` is inclusive, `closes` exclusive."""
    if opens and moment < opens:
        return "not_open_yet"
    return "closed" if closes and moment >= closes else "open"
