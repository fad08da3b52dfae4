"""Who a thread is written to: a verified player, the owner that the benchmark names, the site's administrator."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ledger.benchmark_store import BenchmarkStore
from ledger.errors import NotFound
from ledger.intents import Recipient, Thread
from ledger.suppression_store import SuppressionStore

type FindAddress = Callable[[str], str | None]
"""A verified player's id → the player's address; None where none is known."""


class Unaddressed(Exception):
    """There is nobody to write to, or nobody who wants it; the text says why."""


class Addressee(NamedTuple):
    """Where a mail goes, and what the benchmark is called in it."""

    address: str
    title: str


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
        address, title = self._look_up(thread)
        if not address:
            raise Unaddressed(f"no address is known of the {thread.recipient.value}")
        reason = self.suppressions.find_reason(address)
        if reason is not None:
            raise Unaddressed(f"the address is suppressed: {reason}")
        return Addressee(address, title)

    def _look_up(self, thread: Thread) -> tuple[str | None, str]:
        try:
            definition = self.benchmarks.current(thread.benchmark).definition
        except NotFound:  # a result can come before its benchmark is published, or after it is gone
            owner, title = None, thread.benchmark
        else:
            owner, title = definition.contacts.owner, definition.title
        match thread.recipient:
            case Recipient.OWNER:
                return owner, title
            case Recipient.ADMIN:
                return self.admin_address, title
            case Recipient.UPLOADER:
                return self.find_player_address(thread.player or ""), title
