"""SES, which sends mail."""

from typing import Protocol

from scoring_core.errors import LaurelError
from storage.gateway.errors import Busy


class MailRefused(LaurelError):
    """SES will never send this mail: the sender is not verified, or SES rejects the message or an address."""


class MailUncertain(Busy):
    """SES may have accepted the mail: its answer did not arrive, or was an internal error."""


class Mails(Protocol):
    """What sends mail: `AwsMails`, or the engine's."""

    def send(self, content: bytes, /, *, sender: str, to: str, configuration_set: str) -> None:
        """Send a mail from one bare address to another; once this returns, SES has it.

        Raises MailRefused if it will never be sent, StoreError if it cannot be sent now, MailUncertain if that is not
        known.
        """
