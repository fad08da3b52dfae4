"""Spent run tickets in the access table: one item each, which names the submission."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.gateway.conditions import Absent, Equals
from storage.gateway.schema import Schema
from storage.gateway.table import Table
from storage.submissions.idempotency import KEEP

_SLACK = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RunTicketStore:
    """The spent run tickets."""

    table: Table

    def spend(self, ticket: str, *, submission: str, expires_at: datetime) -> bool:
        """Spend a ticket on a submission; return False if it was spent on another.

        Nobody can get it back, so of two submissions at once one has it. The item outlasts the ticket by as long as an
        idempotency key holds: a repeat counts as submitted at the first try, so it may come after the ticket's end.

        Args:
            ticket: What no other ticket has.
            submission: The id of the submission.
            expires_at: When the ticket ends.
        """
        return self.table.put_if(
            Schema.RUN_TICKET,
            {
                "key": f"ticket#{ticket}",
                "submission": submission,
                "expires_at": int((expires_at + KEEP + _SLACK).timestamp()),
            },
            Absent("key") | Equals("submission", submission),
        )
