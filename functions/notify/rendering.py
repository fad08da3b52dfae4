"""The two forms of a letter: plain text, and HTML that loads nothing and is readable in the dark and on a phone."""

from html import escape

from notify.content import Field, Link, MailContent, Section
from scoring_core.io.text import show_harmless

# Colours stand on classes, because the dark must override them; a program that drops styles shows plain black on white.
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


def render_text(letter: MailContent) -> str:
    """Give the plain text form."""
    blocks = [f"Laurel · {letter.title}", letter.heading, *letter.paragraphs]
    blocks += [_section_as_text(section) for section in letter.sections]
    blocks.append(f"-- \n{letter.footer}")
    return show_harmless("\n\n".join(blocks)) + "\n"


def render_html(letter: MailContent) -> str:
    """Give the HTML form; all text in it is escaped, and no character of it turns the reading direction."""
    sections = "\n".join(_section_as_html(section) for section in letter.sections)
    paragraphs = "\n".join(f"<p>{_safe(text)}</p>" for text in letter.paragraphs)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{escape(show_harmless(letter.subject))}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<div class="page">
<p class="name">Laurel · {_safe(letter.title)}</p>
<div class="card">
<h1>{_safe(letter.heading)}</h1>
{paragraphs}
</div>
{sections}
<p class="foot">{_safe(letter.footer)}</p>
</div>
</body>
</html>
"""


def _section_as_text(section: Section) -> str:
    lines = [section.title, *(f"  {fact.label}: {fact.text}" for fact in section.facts)]
    for quote in section.quotes:
        lines += [f"  {quote.label}:", *(f"    {line}" for line in quote.text.splitlines())]
    return "\n".join([*lines, *(f"  {link.label}: {link.url}" for link in section.links)])


def _section_as_html(section: Section) -> str:
    facts = "".join(map(_fact_as_html, section.facts))
    quotes = "".join(f"<p>{_safe(quote.label)}</p>\n<pre>{_safe(quote.text)}</pre>\n" for quote in section.quotes)
    links = "".join(map(_link_as_html, section.links))
    return (
        f'<div class="card">\n<h2>{_safe(section.title)}</h2>\n'
        + (f"<dl>\n{facts}</dl>\n" if facts else "")
        + quotes
        + (f'<p class="links">{links}</p>\n' if links else "")
        + "</div>"
    )


def _fact_as_html(fact: Field) -> str:
    return f"<dt>{_safe(fact.label)}</dt>\n<dd>{_safe(fact.text)}</dd>\n"


def _link_as_html(link: Link) -> str:
    return f'<a href="{escape(link.url)}">{_safe(link.label)}</a>\n'


def _safe(text: str) -> str:
    """Escape text; what is written from right to left keeps to itself."""
    return f"<bdi>{escape(show_harmless(text))}</bdi>"
