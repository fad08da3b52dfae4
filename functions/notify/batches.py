"""Reads batches that a mail reports, and finds those of which nothing is being scored any more."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from handlers.loops import logger
from storage.batches.reports import BatchReport, BatchReportStore, EntryResult, summarize
from storage.keys import Clock
from storage.mail.models import PendingMail, to_moment, to_seconds
from storage.submissions.store import SubmissionStore

GIVE_UP: Final = timedelta(days=3)
BATCH_PATIENCE: Final = timedelta(days=1)
"""Longer than all retries of a batch's results take."""
MAX_ENTRIES: Final = 20_000
"""After so many entries no further batch is read for a mail. A batch has at most 10,000."""
MAX_BATCHES: Final = 300
"""Batches that are read for a mail, at most."""


class ReportedBatch(NamedTuple):
    """A batch that a mail reports: its report, and what became of its entries, in their order."""

    report: BatchReport
    results: tuple[EntryResult, ...]


class BatchReader(NamedTuple):
    """Reads batches from their reports and records."""

    reports: BatchReportStore
    submissions: SubmissionStore
    clock: Clock

    def choose(self, mails: Sequence[PendingMail], *, version: str) -> list[PendingMail]:
        """Return the mails about batches that can be reported now, or given up.

        Args:
            mails: Pending mails of one digest.
            version: The version that the board shows.
        """
        chosen: set[str] = set()
        entries = 0
        # In any order: large batches that are being scored must not keep a later one back until they are done.
        order = random.Random(to_seconds(self.clock()))  # noqa: S311  # an order is no secret
        for mail in order.sample(mails, min(len(mails), MAX_BATCHES)):
            batch = self.read(mail, version=version)
            if self._is_ready(mail, batch):
                chosen.add(mail.key)
            entries += len(batch.results) if batch else 0
            if entries >= MAX_ENTRIES:
                break
        return [mail for mail in mails if mail.key in chosen]

    def read(self, mail: PendingMail, *, version: str) -> ReportedBatch | None:
        """Return a batch with the outcomes under a version; None: no readable report.

        The report is written after the results: if the import crashes, it goes on when its message comes back.
        """
        digest = mail.digest
        try:
            report = self.reports.find(digest.benchmark, digest.player or "", mail.subject)
            if report is None:
                return None
            outcomes = self.submissions.list_batch(digest.benchmark, batch=report.drop, version=version)
            return ReportedBatch(report, summarize(report, outcomes))
        except (KeyError, TypeError, ValueError):  # the other batches of the mail can be read
            logger.exception("a batch cannot be read", extra={"mail": str(digest), "batch": mail.subject})
            return None

    def _is_ready(self, mail: PendingMail, batch: ReportedBatch | None) -> bool:
        age = self.clock() - to_moment(mail.added_at)
        if batch is None:
            return age >= GIVE_UP
        return age >= BATCH_PATIENCE or not any(result.status == "queued" for result in batch.results)
