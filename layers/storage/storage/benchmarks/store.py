"""Published benchmarks: bundles by version, and a pointer to the current one and the next, re-read every 30 seconds."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict

from scoring_core.benchmarks.definition import MAX_DESCRIPTION_BYTES, MAX_SAMPLE_BYTES, Definition
from scoring_core.io.text import cut_markdown, mask_harmful
from storage.aws.bucket import Bucket
from storage.aws.errors import Conflict, NotFound
from storage.aws.schema import Schema, StoredModel
from storage.keys import BENCHMARKS_PREFIX, bundle_key, current_key, results_prefix

if TYPE_CHECKING:
    from scoring_core.benchmarks.loading import Benchmark

POINTER_SECONDS = 30
MAX_CACHED_BUNDLES = 8


_CUT = f"*The description is cut here: it is longer than {MAX_DESCRIPTION_BYTES} bytes.*"


def _cut_description(text: str) -> str:
    return cut_markdown(text, max_bytes=MAX_DESCRIPTION_BYTES, note=_CUT)


def _drop_large_sample(text: str | None) -> str | None:
    return text if text is None or len(text.encode()) <= MAX_SAMPLE_BYTES else None


def _mask_lines(definition: Definition) -> Definition:
    lines = {
        "title": mask_harmful(definition.title),
        "summary": mask_harmful(definition.summary),
        "tags": tuple(map(mask_harmful, definition.tags)),
    }
    return definition.model_copy(update=lines)


class _Public(BaseModel):
    """What is public of one version of a benchmark: all but its ground truth, its script and its examples.

    A description that was published before there was a limit is cut where it is read, a larger sample is left out:
    both travel with every page and every board. Lines of before that hold harmful characters are shown without them.
    """

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, validate_by_name=True, defer_build=True)

    version: str
    published_at: datetime
    definition: Annotated[Definition, AfterValidator(_mask_lines)]
    parts: tuple[str, ...]
    description: Annotated[str, AfterValidator(_cut_description)]
    sample: Annotated[str | None, AfterValidator(_drop_large_sample)]

    @property
    def id(self) -> str:
        """The benchmark's id."""
        return self.definition.id

    def shows(self, benchmark: "Benchmark") -> bool:
        """Tell whether this is what would be public of a benchmark."""
        return all(getattr(self, name) == value for name, value in _publish(benchmark).items())


class NextVersion(_Public):
    """The version that becomes current once every result is scored under it."""


class PublishedBenchmark(_Public, StoredModel):
    """The pointer `current.json`: what results are scored with, and what they will be scored with.

    `revision` rises with every publishing: a reader that holds a smaller one has stale news.
    """

    form = Schema.POINTER

    revision: int
    next: NextVersion | None = None

    @property
    def next_version(self) -> "PublishedBenchmark | None":
        """What is published once `next` is current, in the revision that announces it; None without one."""
        return None if self.next is None else PublishedBenchmark(revision=self.revision, **dict(self.next))

    @property
    def active_versions(self) -> "tuple[PublishedBenchmark, ...]":
        """The versions that every result is scored under, the current one first."""
        return (self, self.next_version) if self.next_version else (self,)

    def get_version(self, version: str) -> "PublishedBenchmark | None":
        """Give the benchmark as a version defines it; None where that is neither current nor next."""
        return next((one for one in self.active_versions if one.version == version), None)


def _publish(benchmark: "Benchmark") -> dict[str, Any]:
    """Give what is public of a benchmark, but for when it was published."""
    return {
        "version": benchmark.version,
        "definition": benchmark.definition,
        "parts": benchmark.parts,
        "description": benchmark.description,
        "sample": benchmark.sample,
    }


class PublishConflict(Conflict):
    """Somebody else published the benchmark between the reading of its pointer and the writing."""


class _Pointer(NamedTuple):
    published: PublishedBenchmark
    etag: str
    read_at: datetime


@dataclass
class BenchmarkStore:
    """Published benchmarks, cached."""

    bucket: Bucket
    clock: Callable[[], datetime]
    _pointers: dict[str, _Pointer] = field(default_factory=dict, init=False)
    _bundles: dict[tuple[str, str, int], "Benchmark"] = field(default_factory=dict, init=False)

    def current(self, benchmark: str, *, fresh: bool = False) -> PublishedBenchmark:
        """Give the published benchmark, at most 30 seconds old, or `fresh`. Raises NotFound."""
        known = self._pointers.get(benchmark)
        if fresh or known is None or self.clock() - known.read_at >= timedelta(seconds=POINTER_SECONDS):
            known = self._read_pointer(benchmark)
            self._pointers[benchmark] = known
        return known.published

    def load(self, published: PublishedBenchmark) -> "Benchmark":
        """Give the benchmark with its files, as it was published. Raises NotFound, BenchmarkError."""
        from scoring_core.benchmarks.loading import load_bundle  # noqa: PLC0415  # who only reads pointers starts without it

        key = (published.id, published.version, published.revision)
        if key not in self._bundles:
            bundle = self.bucket.get(bundle_key(published.id, version=published.version)).body
            while len(self._bundles) >= MAX_CACHED_BUNDLES:
                del self._bundles[next(iter(self._bundles))]
            self._bundles[key] = load_bundle(bundle, published.definition)
        return self._bundles[key]

    def list_ids(self) -> list[str]:
        """Give the ids of all published benchmarks, sorted."""
        return self.bucket.list_folders(BENCHMARKS_PREFIX)

    def list_shuffled(self) -> list[str]:
        """Give the ids of all published benchmarks, in each minute in another order.

        Who runs out of time over one of them each time comes to all the others all the same.
        """
        ids = self.list_ids()
        random.Random(int(self.clock().timestamp() // 60)).shuffle(ids)  # noqa: S311  # an order is no secret
        return ids

    def publish(self, benchmark: "Benchmark") -> PublishedBenchmark:
        """Publish a benchmark: the bundle first, then the pointer by compare-and-swap.

        Another version of a benchmark that has results becomes `next`, in the place of any other; everything else is
        current at once. Publishing what is current takes `next` back.

        Returns:
            The new pointer; the present one where nothing has changed.

        Raises:
            PublishedMeanwhile: Somebody else published it at the same time; the pointer is theirs.
        """
        name = benchmark.definition.id
        try:
            before = self._read_pointer(name)
        except NotFound:
            before = None
        bundle = benchmark.pack()
        key = bundle_key(name, version=benchmark.version)
        # The bundle alone is no proof: an earlier try may have written it, and stopped before the pointer.
        if before and before.published.active_versions[-1].shows(benchmark):
            stored = self.bucket.find(key)
            if stored is not None and stored.body == bundle:
                return before.published
        self.bucket.overwrite(key, bundle, content_type="application/zip")
        return self._write_pointer(self._follow(before and before.published, benchmark), replacing=before)

    def promote(self, published: PublishedBenchmark) -> PublishedBenchmark:
        """Make `next` current, in one write; who calls this has seen that every result is scored under it.

        Args:
            published: The pointer as it was when that was seen.

        Raises:
            PublishedMeanwhile: The pointer is no longer that one.
            NotFound: There is no such benchmark.
        """
        before = self._read_pointer(published.id)
        next_version = before.published.next_version
        if next_version is None or before.published.revision != published.revision:
            raise PublishConflict(f"{published.id} was published again while its results were scored")
        return self._write_pointer(
            next_version.model_copy(update={"revision": next_version.revision + 1}), replacing=before
        )

    def _follow(self, before: PublishedBenchmark | None, benchmark: "Benchmark") -> PublishedBenchmark:
        """Give the pointer that follows when this benchmark is published."""
        revision = before.revision + 1 if before else 1
        public = {"published_at": self.clock(), **_publish(benchmark)}
        if before is None or before.version == benchmark.version or not self._has_results(before.id):
            return PublishedBenchmark(revision=revision, **public)
        return before.model_copy(update={"revision": revision, "next": NextVersion(**public)})

    def _has_results(self, benchmark: str) -> bool:
        # One that comes right now is scored under the version that is replaced; the sweep scores it again.
        return self.bucket.find_first(results_prefix(benchmark)) is not None

    def _write_pointer(self, published: PublishedBenchmark, *, replacing: _Pointer | None) -> PublishedBenchmark:
        try:
            etag = self.bucket.put(
                current_key(published.id), published.to_body(), replacing=replacing and replacing.etag
            )
        except Conflict as error:
            raise PublishConflict(f"{published.id} was published by somebody else at the same time") from error
        self._pointers[published.id] = _Pointer(published, etag, self.clock())
        return published

    def _read_pointer(self, benchmark: str) -> _Pointer:
        stored = self.bucket.get(current_key(benchmark))
        return _Pointer(PublishedBenchmark.model_validate_json(stored.body), stored.etag, self.clock())
