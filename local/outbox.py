"""The outbox: keeps every mail that was sent to moto's SES as a file, and shows it on the site."""

import email
import html
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from http import HTTPStatus
from pathlib import Path
from typing import Final

from moto.ses.models import ses_backends
from werkzeug.wrappers import Request, Response

from local.intrinsics import ACCOUNT, REGION

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
_PATH: Final = re.compile(r"/outbox/(?P<name>\d{6})(?P<form>\.eml|\.txt|\.html)")
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;"
    "padding:0 1rem}li{margin:0 0 1rem;overflow-wrap:anywhere}small{opacity:.75}"
)


@dataclass
class Outbox:
    """A folder of `.eml` files, numbered in order; each stack starts with an empty one."""

    folder: Path
    _taken: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        """Empty the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in self.folder.glob("*.eml"):
            file.unlink()

    def poll(self) -> bool:
        """Write new mail to files. Returns False, because mail needs no more polling."""
        with self._lock:
            sent = ses_backends[ACCOUNT][REGION].sent_messages
            for message in sent[self._taken :]:
                self._taken += 1
                (self.folder / f"{self._taken:06}.eml").write_text(message.raw_data, encoding="utf-8", newline="")
        return False

    def list_mails(self) -> Iterator[tuple[str, EmailMessage]]:
        """Yield name and message of each mail, newest first."""
        for file in sorted(self.folder.glob("*.eml"), reverse=True):
            yield file.stem, _parse(file)

    def answer(self, request: Request) -> Response:
        """Answer a request for a path that `is_outbox`."""
        response = self._answer(request)
        response.headers.update(HEADERS)
        return response

    def _answer(self, request: Request) -> Response:
        if request.method not in {"GET", "HEAD"}:
            return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        self.poll()
        return self._list() if request.path.rstrip("/") == PREFIX else self._show(request.path)

    def _list(self) -> Response:
        items = "".join(
            f"<li><a href='{PREFIX}/{name}.html'>{_safe(mail['Subject'])}</a><br><small>to {_safe(mail['To'])}, "
            f"{_safe(mail['Date'])} · <a href='{PREFIX}/{name}.txt'>text</a> · <a href='{PREFIX}/{name}.eml'>.eml</a>"
            f" · {len(list(mail.iter_attachments()))} attached</small></li>"
            for name, mail in self.list_mails()
        )
        page = (
            "<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' "
            f"content='width=device-width'><title>Outbox</title><style>{_STYLE}</style><h1>Outbox</h1>"
            f"<p>All mail since this stack started, newest first.</p><ul>{items}</ul>"
            f"{'' if items else '<p>Nothing yet.</p>'}</html>"
        )
        return Response(page, mimetype="text/html")

    def _show(self, path: str) -> Response:
        match = _PATH.fullmatch(path)
        file = self.folder / f"{match['name']}.eml" if match else None
        if match is None or file is None or not file.is_file():
            return Response("There is no such mail.\n", HTTPStatus.NOT_FOUND, mimetype="text/plain")
        if match["form"] == ".eml":
            return Response(file.read_bytes(), mimetype="message/rfc822")
        kind = "plain" if match["form"] == ".txt" else "html"
        body = _parse(file).get_body((kind,))
        return Response(body.get_content() if body else "", mimetype=f"text/{kind}")


def is_outbox(path: str) -> bool:
    """Return whether a path belongs to the outbox."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")


def _parse(file: Path) -> EmailMessage:
    return email.message_from_bytes(file.read_bytes(), _class=EmailMessage, policy=SMTP)


def _safe(value: object) -> str:
    return html.escape(str(value), quote=True)
