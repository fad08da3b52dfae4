"""The players and names that the owner of a benchmark has banned, or given more time: one item of at most MAX_BANS.

The schedule copies them to the benchmark's pointer, where submissions and boards find them without a request more. A
ban that was lifted stays in the item for a day, so that the schedule puts the rows back even if it dies meanwhile. An
extension is a ban's opposite under a subject of its own, and stays, because entries of boards follow its number.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from scoring_core.benchmarks.owner_changes import Extension
from scoring_core.errors import Rejected
from storage.gateway.conditions import Absent, Equals
from storage.gateway.schema import Schema, from_attributes
from storage.gateway.table import Table, retry_on_conflict
from storage.players.names import hash_skeleton
from storage.players.players import is_player_id

MAX_BANS = 200
"""Of a benchmark, with those lifted within a day: with the longest names and reasons 350 KB, and an item has 400 KB."""
KEEP_LIFTED = timedelta(days=1)
_NAME = "name "
_TIME = "time "


class TooManyBans(Rejected):
    """A benchmark has as many bans as it may."""

    problem = "too-many-bans"


class Ban(NamedTuple):
    """A ban; `subject` is a player's id, or as `name_subject` returns it. Its reason is a public one, its times UTC.

    With `until` it is an extension: its subject is as `time_subject` returns it, and its reason is for the player.
    """

    subject: str
    name: str
    reason: str
    at: datetime
    lifted_at: datetime | None = None
    until: datetime | None = None
    changes: int = 1


class Bans(NamedTuple):
    """The bans of a benchmark by subject, also those that were lifted within a day."""

    stored: Mapping[str, Ban]

    @property
    def active(self) -> list[Ban]:
        """The bans that hold, the oldest first."""
        bans = (ban for ban in self.stored.values() if ban.lifted_at is None and ban.until is None)
        return sorted(bans, key=lambda ban: ban.at)

    @property
    def extensions(self) -> dict[str, Extension]:
        """The time of each player who has, or had, more."""
        return {
            subject.removeprefix(_TIME): Extension(
                None if ban.lifted_at else ban.until, ban.reason, ban.lifted_at or ban.at, ban.changes
            )
            for subject, ban in self.stored.items()
            if ban.until is not None
        }

    @property
    def reasons(self) -> dict[str, str]:
        """The reason of each ban that holds, by subject."""
        return {ban.subject: ban.reason for ban in self.active}

    @property
    def players(self) -> set[str]:
        """The players whose rows may have to go or to come back."""
        return {subject for subject in self.stored if is_player_id(subject)}


def name_subject(name: str) -> str:
    """Return the subject of a banned name, which all names that look like it share."""
    return _NAME + hash_skeleton(name)[:32]


def time_subject(player: str) -> str:
    """Return the subject of a player's extension."""
    return _TIME + player


class BanStore(NamedTuple):
    """The bans in the access table."""

    table: Table

    def read(self, benchmark: str) -> Bans:
        """Read the bans of a benchmark (consistent)."""
        return self._read(benchmark)[0]

    def put(self, benchmark: str, ban: Ban) -> Ban:
        """Ban a player or a name; return the ban that holds. Raises TooManyBans, Busy."""

        def change(bans: dict[str, Ban]) -> Ban:
            held = bans.get(ban.subject)
            if held is not None and held.lifted_at is None and held.until == ban.until:
                return held
            if held is None and len(bans) >= MAX_BANS:
                expected = f"expected at most {MAX_BANS} bans and extensions on a benchmark, those lifted within a day"
                raise TooManyBans(f"{expected} included; lift a ban, and try again a day later")
            bans[ban.subject] = ban._replace(changes=held.changes + 1 if held else 1)
            return bans[ban.subject]

        return self._change(benchmark, change, now=ban.at)

    def lift(self, benchmark: str, subject: str, *, now: datetime) -> Ban | None:
        """Lift a ban and return it; None if there is none. Raises Busy."""

        def change(bans: dict[str, Ban]) -> Ban | None:
            ban = bans.get(subject)
            if ban is not None and ban.lifted_at is None:
                ban = bans[subject] = ban._replace(lifted_at=now, changes=ban.changes + 1)
            return ban

        return self._change(benchmark, change, now=now)

    def _change[Changed](
        self, benchmark: str, change: Callable[[dict[str, Ban]], Changed], *, now: datetime
    ) -> Changed:
        def attempt() -> Changed:
            bans, counter = self._read(benchmark)
            after = {
                subject: ban
                for subject, ban in bans.stored.items()
                if ban.lifted_at is None or ban.until is not None or now - ban.lifted_at < KEEP_LIFTED
            }
            changed = change(after)
            if after != bans.stored:
                self.table.put(
                    Schema.BANS,
                    {"key": _key(benchmark), "counter": counter + 1, "bans": _write(after)},
                    Equals("counter", counter) if counter else Absent("key"),
                )
            return changed

        return retry_on_conflict(attempt, what=f"bans of {benchmark}")

    def delete(self, benchmark: str) -> None:
        """Delete the bans of a benchmark that is deleted."""
        self.table.delete(key=_key(benchmark))

    def _read(self, benchmark: str) -> tuple[Bans, int]:
        plain = self.table.get(Schema.BANS, key=_key(benchmark))
        if plain is None:
            return Bans({}), 0
        bans = [from_attributes(Ban, each) for each in json.loads(str(plain["bans"]))]
        return Bans({ban.subject: ban for ban in bans}), int(plain["counter"])


def _write(bans: Mapping[str, Ban]) -> str:
    plain = [ban._asdict() for _, ban in sorted(bans.items())]
    return json.dumps(plain, default=datetime.isoformat, ensure_ascii=False)


def _key(benchmark: str) -> str:
    return f"bans#{benchmark}"
