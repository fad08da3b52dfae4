"""Serves the pages of a game from an origin of their own, as games have one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from local.site.files import find_media_type

SITE: Final = "https://laurel.example"
"""What the pages of examples call the site."""


class _QuietHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002  # werkzeug's own signature
        """Log nothing."""


@contextmanager
def serve_game(folder: Path, *, site: str, port: int = 0) -> Iterator[str]:
    """Serve a folder while the context lasts; yield its URL.

    Args:
        folder: Its files are served, none below it.
        site: The address that takes the place of SITE in every file.
        port: 0 picks a free one.

    Raises:
        OSError: Another program uses the port.
    """

    @Request.application
    def answer(request: Request) -> Response:
        name = request.path.removeprefix("/") or "index.html"
        file = {path.name: path for path in folder.iterdir() if path.is_file()}.get(name)
        if file is None:
            return Response("There is nothing here.\n", HTTPStatus.NOT_FOUND, mimetype="text/plain")
        content = file.read_bytes().replace(SITE.encode(), site.encode())
        return Response(content, mimetype=find_media_type(name), headers={"Cache-Control": "no-store"})

    try:
        server = make_server("127.0.0.1", port, answer, threaded=True, request_handler=_QuietHandler)
    except SystemExit as error:  # werkzeug exits if the port is taken
        raise OSError(f"port {port} is taken") from error
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        server.server_close()
