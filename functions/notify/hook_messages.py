"""Writes what a hook gets of a mail: what happened, and links. Nothing that a player or a script wrote is in it."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from notify.content import Link, MailContent
from notify.rendering import SENDER_NAME
from scoring_core.benchmarks.hooks import HookKind
from scoring_core.io.text import show_harmless
from storage.mail.models import DigestKey

MAX_DISCORD_LENGTH: Final = 2000
MAX_SLACK_LENGTH: Final = 3000
_NO_EMBEDS: Final = 4
_MARKUP: Final = re.compile(r"([\\`*_~|<>\[\]()#:@+-])")
_SLACK_SIGNS: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def write_message(kind: HookKind, digest: DigestKey, content: MailContent, *, date: datetime) -> bytes:
    """Return the body of a message to a hook.

    Args:
        kind: What reads it.
        digest: What the mail is about.
        content: The mail to the owner, whose sections become links: more people read a channel than the mail.
        date: That of the mail.
    """
    prose = [f"{SENDER_NAME} · {content.title}", content.heading, *content.paragraphs]
    prose = [show_harmless(text) for text in prose]
    links = [Link(section.title, section.links[0].url) for section in content.sections if section.fields]
    match kind:
        case HookKind.DISCORD:
            message = _write_discord(prose, links)
        case HookKind.SLACK:
            message = _write_slack(prose, links)
        case HookKind.SERVER:
            data = {"benchmark": digest.benchmark, "text": prose, "links": [link._asdict() for link in links]}
            message = {"type": f"laurel.{digest.kind}", "timestamp": date.isoformat(), "data": data}
    return json.dumps(message).encode()


def _write_discord(prose: Sequence[str], links: Sequence[Link]) -> dict[str, Any]:
    lines = [_MARKUP.sub(r"\\\1", text) for text in prose] + [f"{label}: <{url}>" for label, url in links]
    # Without `parse` no text mentions anybody, whatever it is.
    return {"content": _fit(lines, MAX_DISCORD_LENGTH), "allowed_mentions": {"parse": []}, "flags": _NO_EMBEDS}


def _write_slack(prose: Sequence[str], links: Sequence[Link]) -> dict[str, Any]:
    escaped = [text.translate(_SLACK_SIGNS) for text in prose]
    # What has markup are ids and addresses of the site; verbatim, so that Slack makes no mentions of its own.
    listed = _fit((f"<{url}|{label}>" for label, url in links), MAX_SLACK_LENGTH)
    texts: list[dict[str, Any]] = [
        {"type": "plain_text", "text": _fit(escaped, MAX_SLACK_LENGTH), "emoji": False},
        {"type": "mrkdwn", "text": listed, "verbatim": True},
    ]
    blocks = [{"type": "section", "text": text} for text in texts if text["text"]]
    return {"text": "\n".join(escaped[:2]), "blocks": blocks, "unfurl_links": False, "unfurl_media": False}


def _fit(lines: Iterable[str], limit: int) -> str:
    """Join the first lines that fit into a limit, which counts as UTF-16 does."""
    text = ""
    for line in lines:
        longer = f"{text}\n{line}" if text else line
        if len(longer.encode("utf-16-le")) // 2 > limit - 2:
            return f"{text}\n…"
        text = longer
    return text
