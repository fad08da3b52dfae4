"""Published benchmarks: bundles by version, and a pointer to the current one and the next, re-read every 30 seconds."""

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import not_
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import Field

from scoring_core.benchmarks.definition import (
    BoardSpec,
    Definition,
)
from scoring_core.benchmarks.owner_changes import ArchiveMark, Extension, MovedClose
from scoring_core.benchmarks.terms import SubmissionTerms, is_late
from scoring_core.benchmarks.zones import UTC_NAME
from scoring_core.errors import LaurelError
from scoring_core.ranking.standings import read_public
from storage.benchmarks.terms import POINTER_SECONDS, read_terms
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Conflict, NewerSchema, NotFound
from storage.gateway.models import FrozenModel, StoredModel
from storage.gateway.schema import Schema
from storage.gateway.table import RisingNumbers
from storage.keys import BENCHMARKS_PREFIX, bundle_key, current_key, parse_result_key, results_prefix, time_of
from storage.submissions.models import Submission, SubmissionRecord

if TYPE_CHECKING:
    from scoring_core.benchmarks.loading import Benchmark
    from storage.boards.entries import BoardEntry
    from storage.boards.published import PublishedBoard, PublishedWindow, VersionBoards
    from storage.boards.standings import BoardKey

# What boards are is imported where one is asked for: a result is scored without them.

MAX_REPLACED = 100
"""So many versions that were current are remembered: the latest."""
KEPT_WINDOW = timedelta(days=1)
"""How long after its end the schedule looks after a window: longer than a result is usually on its way."""
_SETTLING = timedelta(hours=1)
"""After this nobody scores by what was published before a change."""


class _Public(FrozenModel):
    """What is public of one version of a benchmark: not its ground truth, its script and its examples.

    `bundle_sha256` is no part of that: it names the bundle in the bucket. Nor is `final_version`, what the final will
    make current. `public_version` is the version before it: only a final has one, and that version's bundle.
    """

    version: str
    bundle_sha256: str
    published_at: datetime
    definition: Definition
    parts: tuple[str, ...]
    description: str
    sample: str | None
    board_since: dict[str, int] = Field(default={}, exclude_if=not_)
    bans: dict[str, str] = Field(default={}, exclude_if=not_)
    archived: ArchiveMark | None = Field(default=None, exclude_if=not_)
    moved: MovedClose | None = Field(default=None, exclude_if=not_)
    final_version: str | None = Field(default=None, exclude_if=not_)
    public_version: str | None = Field(default=None, exclude_if=not_)

    @property
    def is_final(self) -> bool:
        """Return whether the hidden rows rank."""
        return self.public_version is not None

    @property
    def id(self) -> str:
        """The benchmark's id."""
        return self.definition.id

    @property
    def runs_script(self) -> bool:
        """Return whether the platform runs the owner's script."""
        return self.definition.runs_script and not self.definition.runs_own

    @property
    def terms(self) -> SubmissionTerms:
        """What a submission is checked against."""
        return read_terms(self.model_dump_json().encode())

    @property
    def is_listed(self) -> bool:
        """Return whether lists and the front page show it."""
        return self.definition.listed and self.archived is None

    @property
    def has_public_results(self) -> bool:
        """Return whether everybody may read the results of rows; never in an archive."""
        return self.definition.results == "public" and self.archived is None

    @property
    def bundle_key(self) -> str:
        """The key of its bundle."""
        return bundle_key(self.id, version=self.public_version or self.version, sha256=self.bundle_sha256)


class NextVersion(_Public):
    """The version that becomes current once every result is scored under it."""


class Promotion(FrozenModel):
    """The last time that a rescore made a version current, and what its owner said of it.

    `is_final`: it was the final of one that was none.
    """

    version: str
    at: datetime
    reason: str = ""
    is_final: bool = Field(default=False, exclude_if=not_)


class PublishedBenchmark(_Public, StoredModel):
    """The pointer `current.json`: the current version and the next one.

    `board_publish_numbers` has the publish number of the boards that publishings since did not change,
    `board_since` that from which on a board has had the same rows of the same submissions, if not always. `bans` has
    the players and names whose results are rejected and not shown, each with the public reason; `archived` is present
    while the benchmark is. `promotion` is None if no version was ever promoted. `replaced` has the versions that were
    current, and when a rescore last replaced each, the latest at the end. `extensions` has the players who have, or
    had, more time.
    """

    kind = Schema.POINTER

    publish_number: int
    board_publish_numbers: dict[str, int] = Field(default={}, exclude_if=not_)
    next: NextVersion | None = None
    promotion: Promotion | None = Field(default=None, exclude_if=not_)
    replaced: dict[str, datetime] = Field(default={}, exclude_if=not_)
    extensions: dict[str, Extension] = Field(default={}, exclude_if=not_)

    @property
    def next_version(self) -> "PublishedBenchmark | None":
        """The benchmark once `next` is current, with today's publish number; None without."""
        if self.next is None:
            return None
        shared = {"publish_number": self.publish_number, "extensions": self.extensions}
        return PublishedBenchmark(**shared, **dict(self.next))

    @property
    def active_versions(self) -> "tuple[PublishedBenchmark, ...]":
        """The versions under which every result is scored, the current one first."""
        return (self, self.next_version) if self.next_version else (self,)

    @property
    def boards(self) -> "tuple[PublishedBoard, ...]":
        """The boards of the version, the main one first."""
        from scoring_core.benchmarks.boards import list_boards  # noqa: PLC0415
        from storage.boards.published import PublishedBoard  # noqa: PLC0415

        boards = list_boards(self.definition, self.parts)
        return tuple(PublishedBoard(self._key_of(each.id), each, self._number_of(each.id)) for each in boards)

    @property
    def windows(self) -> "tuple[PublishedWindow, ...]":
        """The windows of the version; `boards` does not have their instances."""
        from scoring_core.benchmarks.boards import list_windows  # noqa: PLC0415
        from storage.boards.published import PublishedWindow  # noqa: PLC0415

        windows = list_windows(self.definition, self.parts)
        return tuple(PublishedWindow(self._key_of(each.id), each, self._number_of(each.id)) for each in windows)

    def _key_of(self, board: str) -> "BoardKey":
        from storage.boards.standings import BoardKey  # noqa: PLC0415

        return BoardKey(self.id, self.version, board, self.board_since.get(board, 0))

    def _number_of(self, board: str) -> int:
        return self.board_publish_numbers.get(board, self.publish_number)

    @property
    def all_published(self) -> "list[PublishedBoard | PublishedWindow]":
        """The boards, then the windows."""
        return [*self.boards, *self.windows]

    @property
    def all_boards(self) -> "VersionBoards":
        """The boards and windows together, as submissions are folded into them."""
        from storage.boards.published import VersionBoards  # noqa: PLC0415

        windows, newest = self.windows, max(each.key.since for each in self.all_published)

        def find_instances(entry: "BoardEntry") -> "list[PublishedBoard]":
            instances = (window.find_at(time_of(entry.submission)) for window in windows)
            return [instance for instance in instances if instance is not None]

        return VersionBoards(self.publish_number, self.boards, newest, find_instances)

    def was_current(self, version: str, recorded_at: datetime) -> bool:
        """Return whether a version is current, or was while it had what was recorded then.

        A version that was replaced may be scored again as the next one: what it was not current for stays secret.
        """
        replaced_at = self.replaced.get(version)
        return version == self.version or (replaced_at is not None and recorded_at < replaced_at)

    def is_late(self, submission: str, player: str, *, late: bool) -> bool:
        """Return whether a submission is late now, which it was or was not before."""
        extension = self.extensions.get(player)
        until = extension.until if extension else None
        return (late or extension is not None) and is_late(time_of(submission), self.definition.closes, until)

    def judge_late(self, submission: Submission) -> Submission:
        """Return a submission as `closes` and its player's time are now."""
        player, closes = submission.player.id, self.definition.closes
        late = self.is_late(submission.id, player, late=submission.late)
        has_time = player in self.extensions and closes is not None and submission.submitted_at >= closes
        return submission._replace(late=late, extended=has_time and not late)

    def judge_entry(self, entry: "BoardEntry") -> "BoardEntry":
        """Return what an entry is, as `closes` and its player's time are now.

        What is late waits. Where its player has or had more time, it may be stored already: so it is withdrawn then.
        """
        extension = self.extensions.get(entry.player.id)
        late = self.is_late(entry.submission, entry.player.id, late=entry.late)
        # Public scores must not rank among hidden ones: it is scored again.
        lacks = self.is_final and entry.late and not late and not any(map(read_public, entry.scores.values()))
        if extension is None:
            return entry._replace(waits=entry.waits or late or lacks)
        revision = entry.record_revision + extension.changes
        return entry._replace(withdrawn=entry.withdrawn or late, record_revision=revision, waits=entry.waits or lacks)

    @property
    def time_changes(self) -> list[datetime]:
        """When `closes` was moved, and the time of each player who has, or had, more."""
        return [each.at for each in self.extensions.values()] + ([self.moved.at] if self.moved else [])

    def lacks_hidden(self, record: SubmissionRecord) -> bool:
        """Return whether a result that is in time was late when it was scored for a final.

        It has public scores alone then. One that was scored long after the last change has no others.
        """
        submission, made = record.submission, datetime.fromisoformat(record.recorded_at)
        if not self.is_final or not submission.late or not any(made < at + _SETTLING for at in self.time_changes):
            return False
        is_in_time = not self.is_late(submission.id, submission.player.id, late=True)
        return is_in_time and not any(read_public(each.scores) for each in record.evaluations)

    @property
    def takes_until(self) -> datetime | None:
        """When the last player's time is over; None: never."""
        given = (each.until for each in self.extensions.values() if each.until is not None)
        return self.definition.closes and max([self.definition.closes, *given])

    @property
    def final_at(self) -> datetime | None:
        """When the final of what was published last is due.

        That is at its time, and not before the last player's is over. None: there is none, or it has begun.
        """
        latest = self.active_versions[-1]
        final, until = latest.definition.final, latest.takes_until
        if final is None or final.at is None or until is None or latest.final_version is None or latest.is_final:
            return None
        return max(final.at, until)

    def find_board(self, board: str) -> "PublishedBoard | None":
        """Return a board, or an instance of a window, by its id; None if there is none."""
        static = next((published for published in self.boards if published.board.id == board), None)
        instances = (window.find(board) for window in self.windows if static is None)
        return static or next(filter(None, instances), None)

    def name_present(self, board: str, now: datetime) -> str:
        """Return the present instance of a window; any other board as it is."""
        window = next((window for window in self.windows if window.window.id == board), None)
        present = window and (window.find_at(now) or window.find(board))
        return present.board.id if present else board

    def list_kept_windows(self, now: datetime) -> "list[PublishedBoard]":
        """Return the instances of the present, and those that ended within a day."""
        return [board for window in self.windows for board in window.list_back(now, now - KEPT_WINDOW)]

    def get_version(self, version: str) -> "PublishedBenchmark | None":
        """Return the benchmark of a version; None if that is neither current nor next."""
        return next((active for active in self.active_versions if active.version == version), None)


def _reveal(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the pointer says of a version, as it says it of its final."""
    final = {"version": public["final_version"], "public_version": public["version"]}
    return {**public, **final, "definition": public["definition"].reveal()}


def _keep_marks(before: PublishedBenchmark) -> dict[str, Any]:
    """Return what no definition says and every version keeps."""
    return {name: getattr(before, name) for name in ("bans", "archived", "promotion", "replaced", "extensions")}


def moves_close(before: PublishedBenchmark, closes: datetime | None) -> bool:
    """Return whether a benchmark is to close later than it does, or never."""
    closed = before.definition.closes
    return closed is not None and (closes is None or closes > closed)


def _number_boards(before: PublishedBenchmark | None, after: PublishedBenchmark) -> PublishedBenchmark:
    """Return a benchmark with the numbers of its boards.

    `before` is what was published of the same version, if it was.
    """
    from scoring_core.benchmarks.boards import MAIN  # noqa: PLC0415
    from storage.boards.published import find_since  # noqa: PLC0415

    earlier = {each.key.board: each for each in before.all_published} if before else {}
    since = find_since(after.all_published, earlier, publish_number=after.publish_number)
    numbers = {}
    if before and _public_except_boards(before) == _public_except_boards(after):
        specs = {spec.id: _without_windows(spec) for spec in before.definition.boards}
        kept = [spec.id for spec in after.definition.boards if specs.get(spec.id) == _without_windows(spec)]
        windows = {each.window.id: each.window for each in before.windows}
        kept += [each.window.id for each in after.windows if windows.get(each.window.id) == each.window]
        numbers = {board: earlier[board].publish_number for board in (MAIN, *kept)}
    return after.model_copy(update={"board_since": since, "board_publish_numbers": numbers})


def _public_except_boards(published: PublishedBenchmark) -> dict[str, Any]:
    definition = published.definition.model_copy(update={"boards": (), "windows": (), "time_zone": UTC_NAME})
    return {name: getattr(published, name) for name in ("parts", "description", "sample")} | {"definition": definition}


def _without_windows(spec: BoardSpec) -> BoardSpec:
    return spec.model_copy(update={"windows": ()})


class PublishConflict(Conflict):
    """Somebody else published the benchmark after its pointer was read."""


class BenchmarkArchived(LaurelError):
    """The benchmark is archived, so nothing may be published over it."""


class _Pointer(NamedTuple):
    published: PublishedBenchmark
    etag: str
    read_at: datetime


@dataclass
class BenchmarkStore:
    """Published benchmarks, cached; `numbers` is for those that publish and for `latest`."""

    bucket: Bucket
    clock: Callable[[], datetime]
    numbers: RisingNumbers | None = None
    _pointers: dict[str, _Pointer] = field(default_factory=dict, init=False)

    def current(self, benchmark: str, *, fresh: bool = False) -> PublishedBenchmark:
        """Return the published benchmark, at most 30 s old or `fresh`. Raises NotFound."""
        pointer = self._pointers.get(benchmark)
        if fresh or pointer is None or self.clock() - pointer.read_at >= timedelta(seconds=POINTER_SECONDS):
            pointer = self._pointers[benchmark] = self._read_pointer(benchmark, before=pointer)
        return pointer.published

    def find(self, benchmark: str, *, fresh: bool = False) -> PublishedBenchmark | None:
        """Return what `current` returns; None if nothing is published."""
        try:
            return self.current(benchmark, fresh=fresh)
        except NotFound:
            return None

    def latest(self, benchmark: str) -> PublishedBenchmark:
        """Return the published benchmark as a GET of the pointer would. Raises NotFound."""
        pointer = self._pointers.get(benchmark)
        if pointer is not None and self._read_publish_number(benchmark) == pointer.published.publish_number:
            return pointer.published
        return self.current(benchmark, fresh=True)

    def load(self, published: PublishedBenchmark) -> "Benchmark":
        """Read the benchmark with its files, each time. Raises NotFound, BenchmarkError."""
        from scoring_core.benchmarks.loading import load_bundle  # noqa: PLC0415  # not needed to read pointers

        loaded = load_bundle(self.bucket.get(published.bundle_key).body, published.definition)
        return loaded.reveal() if published.is_final else loaded

    def list_ids(self) -> list[str]:
        """Return the ids of all published benchmarks, sorted."""
        return self.bucket.list_folders(BENCHMARKS_PREFIX)

    def list_shuffled(self) -> list[str]:
        """Return the ids of all published benchmarks, in another order each minute.

        A caller that always runs out of time over one of them still gets to all the others.
        """
        ids = self.list_ids()
        random.Random(int(self.clock().timestamp() // 60)).shuffle(ids)  # noqa: S311  # an order is no secret
        return ids

    def publish(self, benchmark: "Benchmark", *, replaces: int | None = None, reason: str = "") -> PublishedBenchmark:
        """Publish a benchmark; return the pointer.

        The bundle is written first, under a key of its own, then the pointer to it by compare-and-swap, if anything has
        changed. So a publisher who loses a race replaces nothing of the winner's. If the benchmark has results, another
        version becomes `next` and replaces any other `next`; otherwise it is current at once. Publishing the current
        version again takes `next` back.

        Args:
            benchmark: With its files.
            replaces: The publish number that the publisher has seen, 0 for a new benchmark; None: any.
            reason: Why it closes later than before, if it does.

        Raises:
            PublishConflict: Somebody else published it meanwhile.
            BenchmarkArchived: It is archived.
        """
        name = benchmark.definition.id
        try:
            before = self._read_pointer(name)
        except NotFound:
            before = None
        bundle = benchmark.pack()
        if before and self._holds(before.published, bundle):
            return before.published
        if before and before.published.archived:
            raise BenchmarkArchived(f"{name}: {before.published.archived.describe()}")
        if replaces is not None and replaces != (before.published.publish_number if before else 0):
            raise PublishConflict(f"{name} was published by somebody else in the meantime")
        after = self._follow(before and before.published, benchmark, bundle, reason)
        self.bucket.overwrite(after.active_versions[-1].bundle_key, bundle, content_type="application/zip")
        try:
            return self._write_pointer(after, replacing=before)
        except PublishConflict:
            # Who was faster may have published the same: a second delivery of this request, for one.
            published = self.current(name, fresh=True)
            if self._holds(published, bundle):
                return published
            raise

    def delete(self, published: PublishedBenchmark) -> None:
        """Delete the bundles of a benchmark, then its pointer; the publish number stays."""
        pointer = current_key(published.id)
        keys = list(self.bucket.list_keys(f"{BENCHMARKS_PREFIX}{published.id}/"))
        self.bucket.delete_all(key for key in keys if key != pointer)
        self.bucket.delete(pointer)
        self._pointers.pop(published.id, None)

    def find_written(self, benchmark: str) -> datetime | None:
        """Return when the pointer was written; None if there is none."""
        info = self.bucket.find_info(current_key(benchmark))
        return info and info.modified_at

    def list_versions(self, benchmark: str) -> list[str]:
        """Return the versions that have a bundle, sorted."""
        return self.bucket.list_folders(f"{BENCHMARKS_PREFIX}{benchmark}/")

    def preview(self, benchmark: "Benchmark") -> PublishedBenchmark:
        """Return the pointer as `publish` would leave it, and write nothing."""
        before = self.find(benchmark.definition.id, fresh=True)
        bundle = benchmark.pack()
        return before if before and self._holds(before, bundle) else self._follow(before, benchmark, bundle)

    def _holds(self, published: PublishedBenchmark, bundle: bytes) -> bool:
        """Return whether what was published last is this bundle.

        The pointer alone is no proof: if the bundle was lost or damaged, publishing writes it again.
        """
        stored = self.bucket.find(published.active_versions[-1].bundle_key)
        return stored is not None and stored.body == bundle

    def find_same(self, benchmark: "Benchmark") -> PublishedBenchmark | None:
        """Return the pointer if exactly this was published last. Raises NotFound."""
        published = self.current(benchmark.definition.id, fresh=True)
        return published if self._holds(published, benchmark.pack()) else None

    def promote(self, published: PublishedBenchmark, *, reason: str = "") -> PublishedBenchmark:
        """Make `next` current, in one write. Raises NotFound, PublishConflict.

        The caller has checked that every result is scored under it; the pointer must not have changed since.

        Args:
            published: The benchmark.
            reason: What the owner says of it to everybody.
        """
        before = self._read_pointer(published.id)
        next_version = before.published.next_version
        if next_version is None or before.published.publish_number != published.publish_number:
            raise PublishConflict(f"{published.id} was published again while its results were scored")
        publish_number = self._next_number(published.id, before.published)
        now = self.clock()
        is_final = next_version.is_final and not before.published.is_final
        promotion = Promotion(version=next_version.version, at=now, reason=reason, is_final=is_final)
        replaced = before.published.version
        others = [(version, at) for version, at in before.published.replaced.items() if version != replaced]
        update = {
            "publish_number": publish_number,
            **_keep_marks(before.published),
            "promotion": promotion,
            "replaced": dict([*others[1 - MAX_REPLACED :], (replaced, now)]),
        }
        return self._write_pointer(next_version.model_copy(update=update), replacing=before)

    def reveal(self, published: PublishedBenchmark) -> PublishedBenchmark:
        """Make the final of what was published last the next version.

        It replaces any other. No bundle is read or written: the final has that of its public version.

        Raises NotFound, PublishConflict.
        """
        before = self._read_pointer(published.id)
        if before.published.publish_number != published.publish_number:
            raise PublishConflict(f"{published.id} was published again while its final began")
        latest = before.published.active_versions[-1]
        names = [name for name in NextVersion.model_fields if name not in {"bans", "archived"}]
        public = _reveal({name: getattr(latest, name) for name in names})
        number = self._next_number(published.id, before.published)
        final = _number_boards(None, PublishedBenchmark(publish_number=number, **public))
        following = NextVersion(**public | {"board_since": final.board_since})
        update = {"publish_number": number, "board_publish_numbers": {}, "next": following}
        return self._write_pointer(before.published.model_copy(update=update), replacing=before)

    def put_bans(
        self, benchmark: str, bans: Mapping[str, str], extensions: Mapping[str, Extension] = MappingProxyType({})
    ) -> PublishedBenchmark:
        """Replace bans and extensions, fold nothing. Raises NotFound, PublishConflict."""
        return self._put_marks(benchmark, bans=dict(bans), extensions=dict(extensions))

    def put_archive(self, benchmark: str, mark: ArchiveMark | None) -> PublishedBenchmark:
        """Archive a benchmark, or undo that. Raises NotFound, PublishConflict."""
        return self._put_marks(benchmark, archived=mark)

    def adopt(self, published: PublishedBenchmark, *, replaces: PublishedBenchmark | None) -> PublishedBenchmark:
        """Publish the pointer of another stack. Raises PublishConflict."""
        before = self._read_pointer(published.id) if replaces else None
        number = max(published.publish_number, self._next_number(published.id, before and before.published))
        return self._write_pointer(published.model_copy(update={"publish_number": number}), replacing=before)

    def _put_marks(self, benchmark: str, **marks: Any) -> PublishedBenchmark:
        before = self._read_pointer(benchmark)
        published = before.published
        after = {
            "publish_number": self._next_number(benchmark, published),
            "board_publish_numbers": {each.key.board: each.publish_number for each in published.all_published},
            **marks,
        }
        return self._write_pointer(published.model_copy(update=after), replacing=before)

    def _follow(
        self, before: PublishedBenchmark | None, benchmark: "Benchmark", bundle: bytes, reason: str = ""
    ) -> PublishedBenchmark:
        """Return the pointer that follows when this benchmark is published."""
        publish_number = self._next_number(benchmark.definition.id, before)
        public: dict[str, Any] = {
            "published_at": self.clock(),
            "version": benchmark.version,
            "final_version": benchmark.final_version,
            "bundle_sha256": hashlib.sha256(bundle).hexdigest(),
            "definition": benchmark.definition,
            "parts": benchmark.parts,
            "description": benchmark.description,
            "sample": benchmark.sample,
            "moved": before and self._follow_close(before, benchmark.definition.closes, reason),
        }
        if before is not None and before.is_final and public["final_version"] is not None:
            public = _reveal(public)
        after = PublishedBenchmark(publish_number=publish_number, **(_keep_marks(before) if before else {}), **public)
        same_version = before and before.get_version(after.version)
        numbered = _number_boards(same_version, after)
        if before is None or before.version == after.version or not self.has_results(before.id):
            return numbered
        following = NextVersion(**public, board_since=numbered.board_since)
        return before.model_copy(
            update={"publish_number": publish_number, "board_publish_numbers": {}, "next": following}
        )

    def _follow_close(self, before: PublishedBenchmark, closes: datetime | None, reason: str) -> MovedClose | None:
        """Return how much later a benchmark closes than it was to close first."""
        first = before.moved.before if before.moved else before.definition.closes
        if first is None or (closes is not None and closes <= first):
            return None
        return MovedClose(first, reason, self.clock()) if moves_close(before, closes) else before.moved

    def _next_number(self, benchmark: str, before: PublishedBenchmark | None) -> int:
        """Return a publish number that was never used.

        If somebody deleted the pointer or restored an older one, evaluators may have one with a higher number in
        memory.
        """
        return max(self._read_publish_number(benchmark), before.publish_number if before else 0) + 1

    def has_results(self, benchmark: str) -> bool:
        """Return whether anybody has submitted a result."""
        # A result that arrives now may be scored under the replaced version; the sweep queues it again.
        return self.bucket.find_first(results_prefix(benchmark)) is not None

    def find_first_result(self, benchmark: str) -> datetime | None:
        """Return when the first result was submitted; None without results."""
        key = self.bucket.find_first(results_prefix(benchmark))
        parsed = None if key is None else parse_result_key(key)
        return parsed and time_of(parsed.submission)

    def _read_publish_number(self, benchmark: str) -> int:
        try:
            return self.numbers.read(publish_number(benchmark)) if self.numbers else 0
        except NewerSchema:  # the pointer itself tells more
            return 0

    def _write_pointer(self, published: PublishedBenchmark, *, replacing: _Pointer | None) -> PublishedBenchmark:
        if self.numbers is None:
            raise TypeError("a store that publishes needs the publish numbers")
        # Raise the number first. If it came second, evaluators would use the old pointer until it came.
        self.numbers.raise_to(publish_number(published.id), published.publish_number)
        try:
            etag = self.bucket.put(
                current_key(published.id), published.to_body(), replacing=replacing and replacing.etag
            )
        except Conflict as error:
            raise PublishConflict(f"{published.id} was published by somebody else at the same time") from error
        self._pointers[published.id] = _Pointer(published, etag, self.clock())
        return published

    def _read_pointer(self, benchmark: str, *, before: _Pointer | None = None) -> _Pointer:
        stored = self.bucket.get(current_key(benchmark))
        if before is not None and stored.info.etag == before.etag:  # what was read before is not parsed again
            return before._replace(read_at=self.clock())
        return _Pointer(PublishedBenchmark.model_validate_json(stored.body), stored.info.etag, self.clock())


def publish_number(benchmark: str) -> str:
    """Return the key of the highest number with which a benchmark was published.

    A publisher raises it before it replaces the pointer, so it is never behind the pointer. A reader whose pointer has
    the number that it reads here therefore has the latest one. The number is ahead if a publisher died in between: then
    every reader reads the pointer, until the next publish.
    """
    return f"publish#{benchmark}"
