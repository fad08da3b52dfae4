"""What a mail says, before it has a form: plain text in every field, nothing escaped yet."""

from typing import NamedTuple


class Link(NamedTuple):
    """Where to go, and what is there."""

    label: str
    url: str


class Field(NamedTuple):
    """A line of a section: what is told, and what it is."""

    label: str
    text: str


class Section(NamedTuple):
    """What is told about one submission.

    Args:
        title: Names it.
        facts: Line by line.
        quotes: Longer text, such as what a script printed; shown as it stands.
        links: Where to see more.
    """

    title: str
    facts: tuple[Field, ...] = ()
    quotes: tuple[Field, ...] = ()
    links: tuple[Link, ...] = ()


class MailContent(NamedTuple):
    """A mail, told once for both of its forms.

    Args:
        subject: One line.
        title: The benchmark's, which may be written from right to left and so stands by itself.
        heading: What happened, in a line.
        paragraphs: What happened, to what, and what to do next.
        sections: Submission by submission.
        footer: Why this mail was written.
    """

    subject: str
    title: str
    heading: str
    paragraphs: tuple[str, ...]
    sections: tuple[Section, ...]
    footer: str


class Attachment(NamedTuple):
    """A file that goes with a mail, under a name of ours."""

    name: str
    content: bytes
    media_type: str
