"""Makes the MIME message of a letter: both forms, attachments, and headers in which nobody else's text stands bare."""

from collections.abc import Iterable
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from notify.content import Attachment, MailContent
from notify.rendering import render_html, render_text
from scoring_core.io.text import show_harmless

SENDER_NAME = "Laurel"
MAX_SUBJECT_LENGTH = 200


def make_message(
    letter: MailContent,
    attachments: Iterable[Attachment],
    *,
    sender: str,
    to: str,
    date: datetime,
    message_id: str,
) -> EmailMessage:
    """Make a mail.

    Args:
        letter: What it says.
        attachments: Files under names of ours.
        sender: The bare address that it comes from.
        to: The one bare address that it goes to.
        date: With a zone.
        message_id: What stands before the `@`; the same for a mail that is made again.

    Raises:
        ValueError: An address is none.
    """
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(SENDER_NAME, addr_spec=sender)
    message["To"] = Address(addr_spec=to)
    message["Subject"] = make_subject(letter.subject)
    message["Date"] = date
    message["Message-ID"] = f"<{message_id}@{sender.rpartition('@')[2]}>"
    # So that no out-of-office reply comes back.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(render_text(letter), cte="quoted-printable")
    message.add_alternative(render_html(letter), subtype="html", cte="quoted-printable")
    for one in attachments:
        maintype, _, subtype = one.media_type.partition("/")
        message.add_attachment(one.content, maintype=maintype, subtype=subtype, filename=one.name)
    return message


def make_subject(text: str) -> str:
    """Give text as one line of bounded length without control characters."""
    line = show_harmless(" ".join(text.split()))
    return line if len(line) <= MAX_SUBJECT_LENGTH else line[: MAX_SUBJECT_LENGTH - 1] + "…"
