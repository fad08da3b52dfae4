"""Invitations that are mailed: what the outbox has of each, and what became of it."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from api.dependencies import ApiServices
from storage.mail.models import DigestKey, DigestKind, MailState, PendingMail, to_seconds
from storage.players.invitations import Invitation


class MailedState(StrEnum):
    """What became of the mail with a link; after 30 days it is unknown."""

    WAITING = "waiting"
    SENT = "sent"
    REFUSED = "refused"
    BOUNCED = "bounced"
    UNKNOWN = "unknown"


_STATES: Mapping[MailState | None, MailedState] = {
    MailState.PENDING: MailedState.WAITING,
    MailState.SENT: MailedState.SENT,
    MailState.REFUSED: MailedState.REFUSED,
    None: MailedState.UNKNOWN,
}


def add(api: ApiServices, invitation: Invitation, code: str) -> None:
    """Have the link of an invitation mailed to its address, once."""
    api.outbox.add(_plan_mail(invitation, code))


def find_states(api: ApiServices, invitations: Iterable[Invitation]) -> dict[str, MailedState]:
    """Return id → state, of those invitations that have an address. Raises Busy."""
    mailed = [each for each in invitations if each.address is not None]
    stored = api.outbox.find_states(_plan_mail(each) for each in mailed)
    bounced = api.suppressions.find_all({str(each.address) for each in mailed})
    return {
        each.id: MailedState.BOUNCED if each.address in bounced else _STATES[stored.get(_plan_mail(each).digest)]
        for each in mailed
    }


def _plan_mail(invitation: Invitation, code: str = "") -> PendingMail:
    digest = DigestKey(DigestKind.INVITATION, invitation.benchmarks[0], occasion=invitation.sha256)
    return PendingMail(digest, invitation.id, "", to_seconds(invitation.made_at), text=code)
