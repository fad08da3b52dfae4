"""The outbox: shows every mail that the local SES accepted on the site."""

import email
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from http import HTTPStatus
from typing import Final

from werkzeug.wrappers import Request, Response

from engine.store import Store

PREFIX: Final = "/outbox"
# Strangers write part of a mail, so its page may have styles but must not run, load or send anything.
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "sandbox allow-popups allow-top-navigation-by-user-activation"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
LISTED: Final = 500
"""Mails on the page of the outbox, the newest."""
_PATH: Final = re.compile(r"/outbox/(?P<name>\d{6})(?P<form>\.eml|\.html)")
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;"
    "padding:0 1rem}li{margin:0 0 1rem;overflow-wrap:anywhere}small{opacity:.75}"
    "pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}"
)
_LINK: Final = re.compile(r"https?://[^\s<>]+")
"""A link in escaped text: what could end an attribute is escaped in it, too."""


@dataclass
class Outbox:
    """The mails of the store, numbered in order."""

    store: Store

    def list_mails(self, *, limit: int = -1) -> Iterator[tuple[str, EmailMessage]]:
        """Yield name and message of each mail, newest first; -1 is no limit."""
        for number, content in self.store.read("SELECT number, content FROM mails ORDER BY number DESC LIMIT ?", limit):
            yield f"{number:06}", _parse(content)

    def find(self, name: str) -> bytes | None:
        """Return the mail with this name as it was sent; None if there is none."""
        rows = self.store.read("SELECT content FROM mails WHERE number = ?", int(name))
        return bytes(rows[0][0]) if rows else None

    def answer(self, request: Request) -> Response:
        """Answer a request for a path that `is_outbox`."""
        response = self._answer(request)
        response.headers.update(HEADERS)
        return response

    def _answer(self, request: Request) -> Response:
        if request.method not in {"GET", "HEAD"}:
            return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        return self._list() if request.path.rstrip("/") == PREFIX else self._show(request.path)

    def _list(self) -> Response:
        items = "".join(
            f"<li><a href='{PREFIX}/{name}.html'>{_safe(mail['Subject'])}</a><br><small>to {_safe(mail['To'])}, "
            f"{_safe(mail['Date'])} · <a href='{PREFIX}/{name}.eml'>.eml</a>"
            f" · {len(list(mail.iter_attachments()))} attached</small></li>"
            for name, mail in self.list_mails(limit=LISTED)
        )
        shown = f", the newest {LISTED}" if items.count("<li>") == LISTED else ""
        return _make_page(
            "Outbox",
            f"<p>All mail of this stack, newest first{shown}.</p><ul>{items}</ul>"
            f"{'' if items else '<p>Nothing yet.</p>'}",
        )

    def _show(self, path: str) -> Response:
        match = _PATH.fullmatch(path)
        content = self.find(match["name"]) if match else None
        if match is None or content is None:
            return Response("There is no such mail.\n", HTTPStatus.NOT_FOUND, mimetype="text/plain")
        if match["form"] == ".eml":
            return Response(content, mimetype="message/rfc822")
        mail = _parse(content)
        body = mail.get_body(("plain",))
        text = _safe(body.get_content() if body else "")
        return _make_page(mail["Subject"], f"<pre>{_LINK.sub(r'<a href="\g<0>">\g<0></a>', text)}</pre>")


def is_outbox(path: str) -> bool:
    """Return whether a path belongs to the outbox."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")


def _make_page(title: str, content: str) -> Response:
    page = (
        "<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
        f"<title>{_safe(title)}</title><style>{_STYLE}</style><h1>{_safe(title)}</h1>{content}</html>"
    )
    return Response(page, mimetype="text/html")


def _parse(content: bytes) -> EmailMessage:
    return email.message_from_bytes(content, _class=EmailMessage, policy=SMTP)


def _safe(value: object) -> str:
    return html.escape(str(value), quote=True)
