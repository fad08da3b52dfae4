"""Deletes objects of boards that nothing names any more.

Renderers write objects before the head that names them, and readers may still use the head before. So an object is
deleted only if it is old, and two runs, an hour apart, found that nothing names it. A name has the head's sequence and
a hash in it, so one that is unnamed once is never named again by a head that can be written.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from storage.gateway.bucket import Bucket
from storage.gateway.models import StoredModel
from storage.gateway.schema import Schema
from storage.keys import HEAD_FILE, Clock, unnamed_key

RENDERING: Final = timedelta(hours=1)
"""Longer than a renderer takes from an object to the head that names it."""
GRACE: Final = timedelta(minutes=50)
"""How long nothing must have named an object: longer than readers keep a head, and less than from run to run."""
QUIET: Final = timedelta(days=7)
"""A folder in which nothing was written for so long was swept since: the days of years ago cost nothing."""
_OBJECT: Final = re.compile(r"[a-z]+\.\d+-[0-9a-f]{12}\.json")
_NAMES: Final = re.compile(rf'(?<=[/"])(?:{_OBJECT.pattern})(?=")')
_LEAVES: Final = ("page.", "places.", "recent.", "improvements.", "rows.")
"""How the names of those objects start that name no others. All others are read, also what newer code added."""


class UnnamedObjects(StoredModel):
    """`unnamed.json`: what nothing named at a moment; it is deleted if a later run finds the same."""

    kind = Schema.UNNAMED

    names: dict[str, datetime]


class OrphanSweeper(NamedTuple):
    """Deletes what is orphaned, in the folders of boards."""

    bucket: Bucket
    clock: Clock

    def sweep(self, prefix: str) -> dict[str, int]:
        """Delete what is orphaned below a prefix; return how much in each folder.

        Folders in which nothing was written for a week are left out, unless their head is gone.
        Everything is listed before any head is read: what is written later is not looked at.
        """
        quiet, folders = self.clock() - QUIET, dict[str, dict[str, datetime]]()
        for key, at in self.bucket.list_modified(prefix):
            folder, _, name = key.rpartition("/")
            folders.setdefault(f"{folder}/", {})[name] = at
        return {
            folder: self._sweep_folder(folder, listed)
            for folder, listed in folders.items()
            if max(listed.values()) > quiet or HEAD_FILE not in listed
        }

    def _sweep_folder(self, folder: str, listed: Mapping[str, datetime]) -> int:
        now, key = self.clock(), unnamed_key(folder)
        written = {name: at for name, at in listed.items() if _OBJECT.fullmatch(name)}
        if not written and key.removeprefix(folder) not in listed:
            return 0
        pointers = {HEAD_FILE, *(name for name in listed if name not in written and name.endswith(".json"))}
        named = self._mark(folder, sorted(pointers))  # the head may be newer than the list
        before = self.bucket.find_model(key, UnnamedObjects) if key.removeprefix(folder) in listed else None
        since = before.value.names if before else {}
        old = (name for name, at in written.items() if at <= now - RENDERING)
        unnamed = {name: since.get(name, now) for name in old if name not in named}
        orphans = sorted(name for name, at in unnamed.items() if at <= now - GRACE)
        self.bucket.delete_all(folder + name for name in orphans)
        left = {name: at for name, at in unnamed.items() if name not in orphans}
        if since and not left and HEAD_FILE not in listed:
            self.bucket.delete_all([key])
        elif left != since:
            # Two runs at once may lose a moment: then an object waits for an hour more.
            self.bucket.overwrite(key, UnnamedObjects(names=left).to_body())
        return len(orphans)

    def _mark(self, folder: str, pointers: Sequence[str]) -> set[str]:
        """Return the names that files with fixed names lead to, over others too.

        They are looked for in files of any form. A player's name may look like one: then an orphan may stay.
        """
        named: set[str] = set()
        unread: list[str] = [name for name in pointers if name != "unnamed.json"]
        while unread:
            stored = self.bucket.find(folder + unread.pop())
            added = set(_NAMES.findall(stored.body.decode())) - named if stored else set()
            named |= added
            unread += sorted(name for name in added if not name.startswith(_LEAVES))
        return named
