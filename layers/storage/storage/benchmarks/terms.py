"""Reads the terms of a published benchmark from its pointer, without pydantic.

pydantic validated the pointer before it was written, so its fields are read as they are.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from scoring_core.benchmarks.terms import RunTerms, SubmissionTerms, read_seconds
from scoring_core.benchmarks.zones import UTC_NAME
from scoring_core.scorers import NEED_PART
from storage.gateway.bucket import Bucket
from storage.gateway.schema import Schema
from storage.keys import current_key

if TYPE_CHECKING:
    from scoring_core.benchmarks.owner_changes import ArchiveMark

POINTER_SECONDS = 30
_NEVER = datetime.max.replace(tzinfo=UTC)


class TermsStore:
    """The terms of published benchmarks, cached."""

    def __init__(self, bucket: Bucket, *, clock: Callable[[], datetime]) -> None:
        self.bucket, self.clock = bucket, clock
        self._cached: dict[str, tuple[SubmissionTerms, datetime]] = {}

    def current(self, benchmark: str) -> SubmissionTerms:
        """Return the terms of a published benchmark, at most 30 s old. Raises NotFound."""
        terms, read_at = self._cached.get(benchmark, (None, _NEVER))
        if terms is None or self.clock() - read_at >= timedelta(seconds=POINTER_SECONDS):
            terms = read_terms(self.bucket.get(current_key(benchmark)).body)
            self._cached[benchmark] = terms, self.clock()
        return terms


def read_terms(pointer: bytes) -> SubmissionTerms:
    """Return the terms in a benchmark's pointer. Raises NewerSchema."""
    plain: dict[str, Any] = json.loads(pointer)
    Schema.POINTER.check(plain.get("schema", 0))
    definition = plain["definition"]
    rules, archived = definition["submissions"], plain.get("archived")
    boards = (definition, *definition.get("boards", ()))
    return SubmissionTerms(
        id=definition["id"],
        version=plain["version"],
        parts=tuple(plain["parts"]),
        needs_part=definition["scorer"] in NEED_PART,
        anonymous=rules["anonymous"],
        max_bytes=rules["max_bytes"],
        per_day=rules["per_day"],
        invalid_per_day=rules["invalid_per_day"],
        opens=_read_moment(definition["opens"]),
        closes=_read_moment(definition["closes"]),
        takes_labels=any((board["ranking"] or {}).get("rows") == "label" for board in boards),
        takes=tuple(rules["takes"]),
        runs=_read_runs(definition),
        bans=plain.get("bans", {}),
        extensions=_read_extensions(plain.get("extensions", {})),
        archived=archived and _read_mark(archived),
        in_all=rules["in_all"],
        runs_own=definition.get("runs_on") == "own",
        late_until=(_read_moment(rules["late"]["until"]) or _NEVER) if rules.get("late") else None,
    )


def _read_mark(archived: dict[str, Any]) -> "ArchiveMark":
    from scoring_core.benchmarks.owner_changes import ArchiveMark  # noqa: PLC0415  # a POST where it is taken has none

    return ArchiveMark(datetime.fromisoformat(archived["at"]), archived["reason"])


def _read_extensions(extensions: dict[str, dict[str, Any]]) -> dict[str, datetime]:
    moments = ((player, _read_moment(each["until"])) for player, each in extensions.items())
    return {player: until for player, until in moments if until is not None}


def _read_runs(definition: dict[str, Any]) -> RunTerms | None:
    runs = definition.get("runs")
    if runs is None:
        return None
    max_age, at_least = (read_seconds(runs[name]) or 0 for name in ("max_age", "at_least"))
    return RunTerms(runs["seed"], max_age, at_least, definition.get("time_zone", UTC_NAME))


def _read_moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
