"""The command line, speaking to the API of a test."""

from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from cli.main import app
from tests.harness.stack import Api


def connect_commands(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands speak to the API of a test."""

    def answer(request: httpx.Request) -> httpx.Response:
        found = api(
            request.method,
            request.url.path,
            query=dict(request.url.params),
            headers=dict(request.headers),
            body=request.content,
        )
        return httpx.Response(found.status, headers={"content-type": found.headers["content-type"]}, json=found.body)

    monkeypatch.setenv("LAUREL_API", "http://localhost")
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))


def laurel(*arguments: str, token: str = "") -> Any:
    """Type a command."""
    return CliRunner(env={"COLUMNS": "200", "LAUREL_TOKEN": token}).invoke(app, arguments)
