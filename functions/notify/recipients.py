"""Who a thread is written to: a verified player, the owner that the benchmark names, the site's administrator."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from storage.aws.errors import NotFound
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.mail.models import DigestKey, Recipient
from storage.mail.suppressions import SuppressionStore

type FindAddress = Callable[[str], str | None]
"""A verified player's id → the player's address; None where none is known."""


class NoRecipient(Exception):
    """There is nobody to write to, or nobody who wants it; the text says why."""


class MailTarget(NamedTuple):
    """Where a mail goes, and what the benchmark is called in it; `version` is empty where it is not published."""

    address: str
    title: str
    version: str


@dataclass(frozen=True, slots=True)
class RecipientResolver:
    """Finds addresses at the time of sending, so that a change of address counts at once."""

    benchmarks: BenchmarkStore
    suppressions: SuppressionStore
    find_player_address: FindAddress
    admin_address: str

    def find(self, thread: DigestKey) -> MailTarget:
        """Give where a thread's mail goes.

        Raises:
            Unaddressed: No address is known, or it is suppressed.
        """
        try:
            published = self.benchmarks.current(thread.benchmark)
        except NotFound:  # a result can come before its benchmark is published, or after it is gone
            published = None
        address = self._find_address(thread, published)
        if not address:
            raise NoRecipient(f"no address is known of the {thread.recipient.value}")
        reason = self.suppressions.find_reason(address)
        if reason is not None:
            raise NoRecipient(f"the address is suppressed: {reason}")
        if published is None:
            return MailTarget(address, thread.benchmark, "")
        return MailTarget(address, published.definition.title, published.version)

    def _find_address(self, thread: DigestKey, published: PublishedBenchmark | None) -> str | None:
        match thread.recipient:
            case Recipient.OWNER:
                return published.definition.contacts.owner if published else None
            case Recipient.ADMIN:
                return self.admin_address
            case Recipient.UPLOADER:
                return self.find_player_address(thread.player or "")
