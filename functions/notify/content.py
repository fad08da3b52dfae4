"""What a mail says, plain text in every field, and its rendering as text and as MIME with its attachments."""

from collections.abc import Iterable
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from typing import NamedTuple

from scoring_core.io.text import show_harmless

SENDER_NAME = "Laurel"
MAX_SUBJECT_LENGTH = 200


class Link(NamedTuple):
    """An address, and what is there."""

    label: str
    url: str


class Field(NamedTuple):
    """A labelled line of a section."""

    label: str
    text: str


class Section(NamedTuple):
    """What a mail says about one submission or entry.

    Args:
        title: Its heading.
        fields: Line by line.
        quotes: Longer text, such as the output of a script, shown unchanged.
        links: Where to see more.
    """

    title: str
    fields: tuple[Field, ...] = ()
    quotes: tuple[Field, ...] = ()
    links: tuple[Link, ...] = ()


class MailContent(NamedTuple):
    """A mail before it is rendered.

    Args:
        title: The benchmark's title. It has a line of its own, because it may be written from right to left.
        summary: What happened, in a line that begins in lower case.
        paragraphs: What happened, to what, and what to do next.
        sections: Submission by submission.
        footer: Why the recipient gets this mail.
    """

    title: str
    summary: str
    paragraphs: tuple[str, ...]
    sections: tuple[Section, ...]
    footer: str

    @property
    def subject(self) -> str:
        """The line of the mail in a list of mails."""
        return f"{self.title}: {self.summary}"

    @property
    def heading(self) -> str:
        """The first line of the mail itself, below the title."""
        return self.summary[0].upper() + self.summary[1:]


class Attachment(NamedTuple):
    """A file that goes with a mail; its name is never taken from what a player sent."""

    name: str
    content: bytes
    media_type: str


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
        lines.append(f"  {field.label}: {text}")
    for quote in section.quotes:
        lines += [f"  {quote.label}:", *(f"    {line}" for line in quote.text.splitlines())]
    return "\n".join([*lines, *(f"  {link.label}: {link.url}" for link in section.links)])
