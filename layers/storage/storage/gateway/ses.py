"""SES, which sends mail."""

from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from http import HTTPStatus
from typing import TYPE_CHECKING

from scoring_core.errors import LaurelError
from storage.gateway.errors import Busy, aws_errors, find_exceptions, status_of

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client

_PERMANENT = frozenset(
    {"BadRequestException", "InvalidParameterValue", "MailFromDomainNotVerifiedException", "MessageRejected"}
)


class MailRefused(LaurelError):
    """SES will never send this mail: the sender is not verified, or SES rejects the message or an address."""


class MailUncertain(Busy):
    """SES may have accepted the mail: its answer did not arrive, or was an internal error."""


@dataclass(frozen=True, slots=True)
class SesMailer:
    """SES; the configuration set names where it reports bounces and complaints."""

    ses: "SESV2Client"
    configuration_set: str

    def send(self, message: EmailMessage, *, sender: str, to: str) -> None:
        """Send a mail from one bare address to another; once this returns, SES has it.

        Raises MailRefused if it will never be sent, StoreError if it cannot be sent now, MailUncertain if that is not
        known.
        """
        aws = find_exceptions()
        with aws_errors("send a mail"):
            try:
                self.ses.send_email(
                    FromEmailAddress=sender,
                    Destination={"ToAddresses": [to]},
                    Content={"Raw": {"Data": message.as_bytes(policy=SMTP.clone(cte_type="7bit"))}},
                    ConfigurationSetName=self.configuration_set,
                )
            except aws.ClientError as error:
                if error.response.get("Error", {}).get("Code") in _PERMANENT:
                    raise MailRefused(str(error)) from error
                if status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise MailUncertain(f"send a mail: {error}") from error
                raise
            except (aws.HTTPClientError, aws.IncompleteReadError) as error:
                raise MailUncertain(f"send a mail: {error}") from error
