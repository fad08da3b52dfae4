"""Serves the pages of a game from an origin of their own, as games have one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final

from werkzeug.wrappers import Request, Response

from local.site.files import find_media_type
from local.site.listening import listen

SITE: Final = "https://laurel.example"
"""What the pages of examples call the site."""


@contextmanager
def serve_game(folder: Path, *, site: str, port: int = 0) -> Iterator[str]:
    """Serve a folder while the context lasts; yield its URL.

    Args:
        folder: Its files are served, none below it.
        site: The address that takes the place of SITE in every file.
        port: 0 picks a free one.

    Raises:
        PortTaken: Another program uses the port.
    """

    @Request.application
    def answer(request: Request) -> Response:
        name = request.path.removeprefix("/") or "index.html"
        file = {path.name: path for path in folder.iterdir() if path.is_file()}.get(name)
        if file is None:
            return Response("There is nothing here.\n", HTTPStatus.NOT_FOUND, mimetype="text/plain")
        content = file.read_bytes().replace(SITE.encode(), site.encode())
        return Response(content, mimetype=find_media_type(name), headers={"Cache-Control": "no-store"})

    server = listen(port, answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        server.server_close()
