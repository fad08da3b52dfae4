"""Renders a mail as plain text, as HTML that loads nothing and is readable in dark mode and on a phone, and as MIME."""

from collections.abc import Iterable
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from html import escape

from notify.content import Attachment, Field, Link, MailContent, Section
from scoring_core.io.text import show_harmless

SENDER_NAME = "Laurel"
MAX_SUBJECT_LENGTH = 200


# Dark mode overrides the colours, so classes have them. A mail program that removes styles shows black on white.
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; padding: 0; background: #f3f4f1; color: #1b1f1d; font: 16px/1.5 system-ui, -apple-system, "Segoe UI",
  Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; }
.page { max-width: 640px; margin: 0 auto; padding: 24px 16px 40px; }
.name { margin: 0 0 12px; font-size: 14px; font-weight: 600; letter-spacing: .02em; color: #2f6b4f; }
.card { background: #ffffff; border: 1px solid #dde1dc; border-radius: 12px; padding: 20px; margin: 0 0 16px; }
h1 { font-size: 22px; line-height: 1.25; margin: 0 0 12px; overflow-wrap: anywhere; }
h2 { font-size: 15px; line-height: 1.4; margin: 0 0 10px; overflow-wrap: anywhere; }
p { margin: 0 0 10px; overflow-wrap: anywhere; }
dl { margin: 0 0 4px; }
dt { font-size: 13px; color: #5b645f; }
dd { margin: 0 0 8px; overflow-wrap: anywhere; }
pre { margin: 4px 0 12px; padding: 10px 12px; border-radius: 8px; background: #f3f4f1; white-space: pre-wrap;
  overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
a { color: #1f6f4a; }
.links { margin: 8px 0 0; }
.links a { display: inline-block; margin: 0 16px 4px 0; padding: 4px 0; font-weight: 600; }
.foot { font-size: 13px; color: #5b645f; margin: 20px 4px 0; }
@media (prefers-color-scheme: dark) {
  body { background: #131615; color: #e7ebe8; }
  .name { color: #7fd3a8; }
  .card { background: #1c201e; border-color: #333a36; }
  pre { background: #131615; }
  dt, .foot { color: #a3ada7; }
  a { color: #7fd3a8; }
}
""".strip()


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
    message.add_alternative(render_html(content), subtype="html", cte="quoted-printable")
    for attachment in attachments:
        maintype, _, subtype = attachment.media_type.partition("/")
        message.add_attachment(attachment.content, maintype=maintype, subtype=subtype, filename=attachment.name)
    return message


def make_subject(text: str) -> str:
    """Return a text as one line of bounded length without control characters."""
    line = show_harmless(" ".join(text.split()))
    return line if len(line) <= MAX_SUBJECT_LENGTH else line[: MAX_SUBJECT_LENGTH - 1] + "…"


def render_text(content: MailContent) -> str:
    """Return the plain text form."""
    blocks = [f"Laurel · {content.title}", content.heading, *content.paragraphs]
    blocks += [_section_as_text(section) for section in content.sections]
    blocks.append(f"-- \n{content.footer}")
    return show_harmless("\n\n".join(blocks)) + "\n"


def render_html(content: MailContent) -> str:
    """Return the HTML form; all text is escaped and keeps its direction."""
    sections = "\n".join(_section_as_html(section) for section in content.sections)
    paragraphs = "\n".join(f"<p>{_safe(text)}</p>" for text in content.paragraphs)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{escape(show_harmless(content.subject))}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<div class="page">
<p class="name">Laurel · {_safe(content.title)}</p>
<div class="card">
<h1>{_safe(content.heading)}</h1>
{paragraphs}
</div>
{sections}
<p class="foot">{_safe(content.footer)}</p>
</div>
</body>
</html>
"""


def _section_as_text(section: Section) -> str:
    lines = [section.title]
    for field in section.fields:
        lines += [f"  {field.label}: {field.text}", *([f"    {field.link.url}"] if field.link else [])]
    for quote in section.quotes:
        lines += [f"  {quote.label}:", *(f"    {line}" for line in quote.text.splitlines())]
    return "\n".join([*lines, *(f"  {link.label}: {link.url}" for link in section.links)])


def _section_as_html(section: Section) -> str:
    fields = "".join(
        f"<dt>{_safe(field.label)}</dt>\n<dd>{_safe(field.text)}{_link_of(field)}</dd>\n" for field in section.fields
    )
    quotes = "".join(f"<p>{_safe(quote.label)}</p>\n<pre>{_safe(quote.text)}</pre>\n" for quote in section.quotes)
    links = "".join(f"{_anchor(link)}\n" for link in section.links)
    return (
        f'<div class="card">\n<h2>{_safe(section.title)}</h2>\n'
        + (f"<dl>\n{fields}</dl>\n" if fields else "")
        + quotes
        + (f'<p class="links">{links}</p>\n' if links else "")
        + "</div>"
    )


def _link_of(field: Field) -> str:
    return f" · {_anchor(field.link)}" if field.link else ""


def _anchor(link: Link) -> str:
    return f'<a href="{escape(link.url)}">{_safe(link.label)}</a>'


def _safe(text: str) -> str:
    """Return escaped text, isolated from the reading direction around it."""
    return f"<bdi>{escape(show_harmless(text))}</bdi>"
