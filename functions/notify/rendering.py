"""Renders a mail as plain text, and as MIME with its attachments."""

from collections.abc import Iterable
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from notify.content import Attachment, MailContent, Section
from scoring_core.io.text import show_harmless

SENDER_NAME = "Laurel"
MAX_SUBJECT_LENGTH = 200


def make_message(
    content: MailContent,
    attachments: Iterable[Attachment],
    *,
    sender: str,
    to: str,
    date: datetime,
    mail_id: str,
) -> EmailMessage:
    """Return the MIME message of a mail. Raises ValueError if an address is invalid.

    Args:
        content: What it says.
        attachments: The files.
        sender: A bare address, as `to`.
        to: The recipient's.
        date: With a time zone. SES replaces it, and adds a Message-ID of its own.
        mail_id: The same if the mail is made again; SES keeps the header that holds it.
    """
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(SENDER_NAME, addr_spec=sender)
    message["To"] = Address(addr_spec=to)
    message["Subject"] = make_subject(content.subject)
    message["Date"] = date
    message["X-Laurel-Mail"] = mail_id
    message["Auto-Submitted"] = "auto-generated"  # so that no out-of-office reply comes back
    message.set_content(render_text(content), cte="quoted-printable")
    for attachment in attachments:
        maintype, _, subtype = attachment.media_type.partition("/")
        message.add_attachment(attachment.content, maintype=maintype, subtype=subtype, filename=attachment.name)
    return message


def make_subject(text: str) -> str:
    """Return a text as one line of bounded length without control characters."""
    line = show_harmless(" ".join(text.split()))
    return line if len(line) <= MAX_SUBJECT_LENGTH else line[: MAX_SUBJECT_LENGTH - 1] + "…"


def render_text(content: MailContent) -> str:
    """Return the plain text."""
    blocks = [f"Laurel · {content.title}", content.heading, *content.paragraphs]
    blocks += [_section_as_text(section) for section in content.sections]
    blocks.append(f"-- \n{content.footer}")
    return show_harmless("\n\n".join(blocks)) + "\n"


def _section_as_text(section: Section) -> str:
    lines = [section.title]
    for field in section.fields:
        text = "\n    ".join(field.text.splitlines())  # a script's message cannot look like another field
        lines += [f"  {field.label}: {text}", *([f"    {field.link.url}"] if field.link else [])]
    for quote in section.quotes:
        lines += [f"  {quote.label}:", *(f"    {line}" for line in quote.text.splitlines())]
    return "\n".join([*lines, *(f"  {link.label}: {link.url}" for link in section.links)])
