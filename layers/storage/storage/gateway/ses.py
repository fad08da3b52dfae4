"""SES, which sends mail."""

from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
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
        """Send a mail.

        Raises MailRefused, MailUncertain, StoreError.
        """


@dataclass(frozen=True, slots=True)
class SesMailer:
    """SES; the configuration set names where it reports bounces and complaints."""

    ses: Mails
    configuration_set: str

    def send(self, message: EmailMessage, *, sender: str, to: str) -> None:
        """Send a mail from one bare address to another; once this returns, SES has it.

        Raises MailRefused if it will never be sent, StoreError if it cannot be sent now, MailUncertain if that is not
        known.
        """
        content = message.as_bytes(policy=SMTP.clone(cte_type="7bit"))
        self.ses.send(content, sender=sender, to=to, configuration_set=self.configuration_set)
