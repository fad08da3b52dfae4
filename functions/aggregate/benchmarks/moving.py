"""Moves a benchmark to another stack page by page: there it is archived until the last one is stored."""

from typing import Any, NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.keeper import BoardKeeper
from scoring_core.benchmarks.owner_changes import ArchiveMark
from scoring_core.errors import Rejected
from storage.benchmarks.archives import ArchiveStore
from storage.benchmarks.moves import MoveStore, open_page
from storage.benchmarks.operations import Operation, OperationResult, OperationStore
from storage.benchmarks.publications import PublicationId, PublicationStore
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import incoming_key

LINK_SECONDS = 900
MOVING = "it is being moved here, and is shown when all of it is there"
"""The reason for which a benchmark is archived until then."""


class BenchmarkMoves(NamedTuple):
    """Does the operations `move-out` and `move-in`, each of one page."""

    aggregator: Aggregator
    moves: MoveStore
    archives: ArchiveStore
    operations: OperationStore
    publications: PublicationStore

    def run(self, operation_id: str) -> None:
        """Do an operation, and store its report. A page that was taken is deleted."""
        operation = self.operations.find(operation_id)
        if operation is None:
            return
        benchmark, page = operation.request.benchmark or "", operation.request.page
        if page is None:
            self.operations.run(operation_id, lambda _: self.move_out(operation, benchmark))
        else:
            uploaded = PublicationId(benchmark, operation.caller, page)
            self.operations.run(operation_id, lambda _: self.move_in(uploaded))
            self.publications.forget_bundle(uploaded)

    def move_out(self, operation: Operation, benchmark: str) -> OperationResult:
        """Write a page, and return its link. Raises NotFound."""
        published = self.aggregator.benchmarks.current(benchmark, fresh=True)
        page, following = self.moves.pack(published, operation.request.after)
        key, pages = incoming_key(benchmark, operation.caller, operation.id), self.moves.results
        pages.overwrite(key, page, content_type="application/zip")
        url = pages.sign_download(key, filename=f"{benchmark}.zip", seconds=LINK_SECONDS)
        return OperationResult(version=published.version, next=following, url=url)

    def move_in(self, uploaded: PublicationId) -> OperationResult:
        """Store what a page has; a repeat changes nothing. Raises Rejected, Conflict."""
        body, benchmark = self.publications.read_bundle(uploaded), uploaded.benchmark
        if body is None:
            raise Rejected("page: expected an upload before, with the form that `bytes` gives")
        page, archive = open_page(body, benchmark)
        mark = self.archives.find(benchmark)
        if mark not in {page.pointer.archived, mark and ArchiveMark(mark.at, MOVING)}:
            mark = None
        before = self.aggregator.benchmarks.find(benchmark, fresh=True)
        if mark is None and before and before.published_at == page.pointer.published_at:
            return OperationResult(next=None)  # all of it is here
        if mark is None and page.after:
            raise Rejected(f"{benchmark}: expected the first page of its move before this one")
        if mark and before and before.archived == mark and _describe(before) != _describe(page.pointer):
            raise Rejected(
                f"{benchmark}: expected a page of the export that began here, for another export began to be imported: "
                f"go on with that one; or, as long as nothing is submitted here, `laurel delete {benchmark}` first"
            )
        mark = mark or self._begin(page.pointer, before)
        self.moves.put(page.pointer, archive)
        if before is None or before.archived != mark:
            self.aggregator.benchmarks.adopt(page.pointer.model_copy(update={"archived": mark}), replaces=before)
        if page.next is None:
            self._finish(page.pointer, mark)
        return OperationResult(next=page.next)

    def _begin(self, pointer: PublishedBenchmark, before: PublishedBenchmark | None) -> ArchiveMark:
        """Archive what is moved in, as it was or until it is there. Raises Rejected."""
        name, mark = pointer.id, pointer.archived or ArchiveMark(self.aggregator.renderer.clock(), MOVING)
        is_other = before is not None and before.version != pointer.version
        is_used = self.aggregator.benchmarks.has_results(name) or self.moves.access.get_item(key=f"bans#{name}")
        if is_other or is_used or not self.archives.put(name, mark):
            raise Rejected(f"{name}: expected no benchmark of this id, or its version without submissions and bans")
        return mark

    def _finish(self, pointer: PublishedBenchmark, mark: ArchiveMark) -> None:
        """Show a benchmark of which all is there, unless it was archived before."""
        published = self.aggregator.benchmarks.put_archive(pointer.id, pointer.archived)
        BoardKeeper(self.aggregator).keep(published)
        self.aggregator.renderer.update_index([pointer.id])
        if pointer.archived is None:
            self.archives.undo(pointer.id, mark)


def _describe(pointer: PublishedBenchmark) -> dict[str, Any]:
    """Return what all pages of an export say of its pointer, as its import stores it."""
    return pointer.model_dump(exclude={"publish_number", "archived", "board_publish_numbers"})
