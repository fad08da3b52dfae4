"""What a mail says, before it is rendered: plain text in every field, nothing escaped yet."""

from typing import NamedTuple


class Link(NamedTuple):
    """An address, and what is there."""

    label: str
    url: str


class Field(NamedTuple):
    """A labelled line of a section, and where to see more."""

    label: str
    text: str
    link: Link | None = None


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
