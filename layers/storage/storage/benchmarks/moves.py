"""A benchmark on its way to another stack: pages of what is stored of it, and how that is stored there.

A page is a ZIP: `page.json`, `items.jsonl` with items of tables, and objects under their keys, the comment of each of
which says what it is besides its bytes. What can be made again, as boards, does not move.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from scoring_core.benchmarks.bundle import MAX_BUNDLE_BYTES
from scoring_core.errors import Rejected
from storage.benchmarks.rescores import list_request_keys
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.bucket import Bucket
from storage.gateway.conditions import Absent, AtLeast, Item, Put
from storage.gateway.errors import Conflict
from storage.gateway.models import FrozenModel
from storage.gateway.schema import SCHEMA_NUMBERS, Schema
from storage.gateway.table import Table
from storage.keys import (
    BENCHMARKS_PREFIX,
    RESULTS_PREFIX,
    corrections_key,
    current_key,
    moving_prefixes,
    parse_result_key,
)
from storage.players.names import is_numbered
from storage.players.players import SECRET_ITEM, GuestNameStore, PlayerStore, guest_key, name_key, player_key
from storage.players.quotas import key_in_all
from storage.submissions.models import MOVED, NAMELESS, review_partition

FORM: Final = sum(SCHEMA_NUMBERS.values())
"""Of pages: it rises with each schema. A stack takes none of a higher form."""
PAGE_BYTES: Final = 32_000_000
"""After so many nothing more is put into a page."""
MAX_ENTRY_BYTES: Final = 2 * PAGE_BYTES
"""Of what is in a page, unpacked; a bundle may be larger."""
ENTRY_BYTES: Final = 6_400
"""What each thing counts beside its bytes, so that a page has at most 5,000: some minutes of a function's time."""
LAST: Final = "last"
"""Where the last page begins, which has nothing more."""
NAME_DIGITS: Final = 6
"""Of a player's id, behind a name that is another player's in the other stack."""
_OF_PLAYER: Final = re.compile(r"player#[a-z0-9-]{1,64}|guest#(?:secret|[0-9a-f]{64})")


class MovePage(FrozenModel):
    """What a page is: where it begins, and where the next one does; None: it is the last one."""

    form: int = FORM
    pointer: PublishedBenchmark
    after: str
    next: str | None


@dataclass
class _Draft:
    """A page that is being made, and the players whose names it has."""

    archive: zipfile.ZipFile
    lines: list[str] = field(default_factory=list)
    players: set[str] = field(default_factory=set)
    size_bytes: int = 0

    def add_item(self, item: Item) -> None:
        self.lines.append(json.dumps(item))
        self.size_bytes += len(self.lines[-1]) + ENTRY_BYTES


class MoveStore(NamedTuple):
    """What moves of benchmarks: the submissions and the access table, the results and the site bucket."""

    submissions: Table
    access: Table
    results: Bucket
    site: Bucket
    players: PlayerStore
    guest_names: GuestNameStore

    def pack(self, published: PublishedBenchmark, after: str) -> tuple[bytes, str | None]:
        """Return the page that begins there ("": the first), and where the next does."""
        buffer, following = io.BytesIO(), None
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            draft = _Draft(archive)
            if not after:
                self._add_own(draft, published)
                following = "0"
            elif after == LAST:  # what was requested begins once all is there
                self._add_access(draft, *list_request_keys(published))
            else:
                positions = self._fill(draft, published.id, after)
                following = next((each for each in positions if draft.size_bytes > PAGE_BYTES), LAST)
            page = MovePage(pointer=published, after=after, next=following)
            archive.writestr("page.json", page.model_dump_json())
            archive.writestr("items.jsonl", "\n".join(draft.lines))
        return buffer.getvalue(), following

    def _add_own(self, draft: _Draft, published: PublishedBenchmark) -> None:
        """Add the benchmark's own items, and the secret of guests' ids."""
        benchmark = published.id
        notes = [f"rescore#{benchmark}#note#{each.version}" for each in published.active_versions[1:]]
        self._add_access(draft, SECRET_ITEM, f"bans#{benchmark}", *notes)
        for item in self._add_access(draft, f"owner#{benchmark}"):
            self._add_player(draft, benchmark, item["player"]["S"])
        self._add_object(draft, self.site, corrections_key(benchmark))

    def _fill(self, draft: _Draft, benchmark: str, after: str) -> Iterator[str]:
        """Add what comes after a position, and yield the position of each."""
        first, _, last = after.partition(" ")
        for stage, prefix in list(enumerate(("", *moving_prefixes(benchmark))))[int(first) :]:
            since = AtLeast("submission_version", f"{last} ")
            for item in () if stage else self.submissions.query(("benchmark", benchmark), since):
                draft.add_item({name: item[name] for name in item if name != MOVED})
                self._add_player(draft, benchmark, item.get("player", {}).get("S"))
                yield f"0 {item['submission_version']['S']}"
            for key in self.results.list_keys(prefix, after=last) if stage else ():
                if not key.endswith("/current.json"):
                    self._add_player(draft, benchmark, self._add_object(draft, self.results, key))
                yield f"{stage} {key}"
            last = ""

    def _add_player(self, draft: _Draft, benchmark: str, player: str | None) -> None:
        """Add a player's tries in all, name, and the numbers of guests of that name."""
        if player is None or player in draft.players | NAMELESS:
            return
        draft.players.add(player)
        self._add_access(draft, key_in_all(benchmark, player))
        for item in self._add_access(draft, player_key(player)):
            name = item.get("name", {}).get("S", "")
            self._add_access(draft, guest_key(name.rpartition(" ·")[0] if is_numbered(name) else name))

    def _add_access(self, draft: _Draft, *keys: str) -> list[Item]:
        items = [item for key in keys if (item := self.access.get_item(key=key)) is not None]
        for item in items:
            draft.add_item(item)
        return items

    def _add_object(self, draft: _Draft, bucket: Bucket, key: str) -> str | None:
        """Add an object, and return the player whose it is."""
        stored = bucket.find(key)
        if stored is None:  # it has expired meanwhile
            return None
        entry, info = zipfile.ZipInfo(key), stored.info
        about = {"content_type": info.content_type, "cache_control": info.cache_control, "metadata": {**info.metadata}}
        entry.comment, entry.compress_type = json.dumps(about).encode(), zipfile.ZIP_DEFLATED
        draft.archive.writestr(entry, stored.body)
        draft.size_bytes += len(stored.body) + ENTRY_BYTES
        return info.metadata.get("player")

    def put(self, published: PublishedBenchmark, archive: zipfile.ZipFile) -> None:
        """Store what a page has; what is there already stays. Raises Rejected."""
        benchmark = published.id
        own = (f"bans#{benchmark}", f"owner#{benchmark}", *list_request_keys(published))
        for line in archive.read("items.jsonl").splitlines():
            item = json.loads(line)
            key = item.get("key", {}).get("S", "")
            is_note = key.startswith(f"rescore#{benchmark}#note#")
            is_in_all = key.count("#") > 1 and key == key_in_all(benchmark, key.split("#")[2])
            if key in own or is_note or is_in_all or _is_of_player(key, item):
                self._put_access(key, item)
            elif _is_of_benchmark(benchmark, item):
                marked = {MOVED: {"BOOL": True}} if "outcome" in item else {}
                _put_new(self.submissions, {**item, **marked}, "benchmark")
            else:
                raise Rejected(f"expected items of {benchmark} and its players, found {key or item}")
        for entry in archive.infolist():
            bucket = self.site if entry.filename == corrections_key(benchmark) else self.results
            if bucket is self.results and not _moves(benchmark, entry.filename):
                continue
            with suppress(Conflict):  # an earlier attempt wrote it
                bucket.put(entry.filename, archive.read(entry), replacing=None, **json.loads(entry.comment))

    def _put_access(self, key: str, item: Item) -> None:
        """Store an item; a name may be a verified player's, and one of these is reserved."""
        if key == SECRET_ITEM:
            own, *moved = map(bytes.fromhex, f"{item['secret']['S']} {item.get('moved', {}).get('S', '')}".split())
            self.guest_names.keep_secrets(own, own, *moved)
            return
        if "name" in item and self.access.get_item(key=key) is None:
            player, name = item["player"]["S"], item["name"]["S"]
            if self.players.find_namesake(name) not in {None, player}:
                name = f"{name} ·{player[-NAME_DIGITS:]}"
                item = {**item, "name": {"S": name}}
            if "created_at" in item:
                self.access.put_if(Schema.NAME, {"key": name_key(name), "player": player}, Absent("key"))
        _put_new(self.access, item, "key")


def _is_of_player(key: str, item: Item) -> bool:
    """Return whether an item has the key of the player whom it names, or is of guests."""
    is_named = key == player_key(item.get("player", {}).get("S", ""))
    return _OF_PLAYER.fullmatch(key) is not None and (is_named or not key.startswith(player_key("")))


def _is_of_benchmark(benchmark: str, item: Item) -> bool:
    """Return whether an item of submissions is this benchmark's, also in each index."""
    indexed = item.get("benchmark_player", {}).get("S", f"{benchmark}#").partition("#")[0]
    failed = item.get("failed_benchmark", {}).get("S", benchmark)
    is_own = item.get("benchmark", {}).get("S") == indexed == benchmark
    return is_own and failed in {benchmark, review_partition(benchmark)}


def _moves(benchmark: str, name: str) -> bool:
    """Return whether an entry of a page is stored under its name; a pointer is not."""
    is_result = not name.startswith(RESULTS_PREFIX) or parse_result_key(name) is not None
    return is_result and name.startswith(moving_prefixes(benchmark)) and name != current_key(benchmark)


def _put_new(table: Table, item: Item, key: str) -> None:
    with suppress(Conflict):
        table.client.put(table.name, Put(item, Absent(key)))


def open_page(body: bytes, benchmark: str) -> tuple[MovePage, zipfile.ZipFile]:
    """Read a page of a benchmark. Raises Rejected."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(body))
        for entry in archive.infolist():
            limit = MAX_BUNDLE_BYTES if entry.filename.startswith(BENCHMARKS_PREFIX) else MAX_ENTRY_BYTES
            if entry.file_size > limit:  # more than is declared is not unpacked
                raise Rejected(f"{entry.filename}: expected at most {limit} bytes, found {entry.file_size}")
        plain = archive.read("page.json")
        if (form := json.loads(plain)["form"]) > FORM:
            raise Rejected(f"expected pages of form {FORM} or less, found {form}: newer code wrote it")
        page = MovePage.model_validate_json(plain)
    except (zipfile.BadZipFile, LookupError, ValueError) as error:
        raise Rejected(f"expected a page of a move: {error}") from error
    if page.pointer.id != benchmark:
        raise Rejected(f"expected a page of {benchmark}, found one of {page.pointer.id}")
    return page, archive
