"""Who a thread is written to: a verified player, the owner that the benchmark names, the site's administrator."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ledger.benchmark_store import BenchmarkStore, Published
from ledger.errors import NotFound
from ledger.intents import Recipient, Thread
from ledger.suppression_store import SuppressionStore

type FindAddress = Callable[[str], str | None]
"""A verified player's id → the player's address; None where none is known."""


class Unaddressed(Exception):
    """There is nobody to write to, or nobody who wants it; the text says why."""


class Addressee(NamedTuple):
    """Where a mail goes, and what the benchmark is called in it; `version` is empty where it is not published."""

    address: str
    title: str
    version: str


@dataclass(frozen=True, slots=True)
class Directory:
    """Finds addresses at the time of sending, so that a change of address counts at once."""

    benchmarks: BenchmarkStore
    suppressions: SuppressionStore
    find_player_address: FindAddress
    admin_address: str

    def find(self, thread: Thread) -> Addressee:
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
            raise Unaddressed(f"no address is known of the {thread.recipient.value}")
        reason = self.suppressions.find_reason(address)
        if reason is not None:
            raise Unaddressed(f"the address is suppressed: {reason}")
        if published is None:
            return Addressee(address, thread.benchmark, "")
        return Addressee(address, published.definition.title, published.version)

    def _find_address(self, thread: Thread, published: Published | None) -> str | None:
        match thread.recipient:
            case Recipient.OWNER:
                return published.definition.contacts.owner if published else None
            case Recipient.ADMIN:
                return self.admin_address
            case Recipient.UPLOADER:
                return self.find_player_address(thread.player or "")
