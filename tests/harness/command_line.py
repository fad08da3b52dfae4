"""The command line in this process: as it is typed in a folder, or speaking to the API of a test."""

import contextlib
import io
import signal
import sys
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from typer.testing import CliRunner

from cli.main import app, run
from storage.gateway.bucket import Bucket
from tests.harness.engine import look_inside
from tests.harness.stack import Api


def connect_commands(api: Api, monkeypatch: pytest.MonkeyPatch, stack: Any = None) -> None:
    """Let commands speak to the API of a test, and with a stack or simulation to its store."""

    def answer(request: httpx.Request) -> httpx.Response:
        if stack is not None and request.url.path.startswith("/data/"):
            site = Bucket(stack.cloud.objects, stack.template.resources["SiteBucket"].name)
            stored = site.find(request.url.path.removeprefix("/"))
            if stored is not None:
                return httpx.Response(200, content=stored.body)
            led = api("GET", f"/api{request.url.path}")
            return httpx.Response(led.status, headers={"Location": led.headers.get("location", "")})
        if stack is not None and request.url.path.startswith("/storage/"):
            assert "authorization" not in request.headers
            file = look_inside().open(
                request.url.path, method=request.method, headers=dict(request.headers), data=request.read()
            )
            return httpx.Response(file.status_code, content=file.get_data(), headers=dict(file.headers))
        found = api(
            request.method,
            request.url.path,
            query=dict(request.url.params),
            headers=dict(request.headers),
            body=request.content,
        )
        headers = {name: value for name, value in found.headers.items() if name in {"content-type", "link"}}
        if "json" in headers["content-type"]:
            return httpx.Response(found.status, headers=headers, json=found.body)
        return httpx.Response(found.status, headers=headers, content=found.body.encode())

    monkeypatch.setenv("LAUREL_API", "http://localhost")
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))


def laurel(*arguments: str, token: str = "") -> Any:
    """Type a command."""
    return CliRunner(env={"COLUMNS": "200", "LAUREL_TOKEN": token}).invoke(app, arguments)


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def type_command(*arguments: str | Path, cwd: Path) -> Done:
    """Type a command in a folder, with the errors and exit codes that a shell gets."""
    printed, failed = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    interrupted = signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(cwd):
        patch.setattr(sys, "argv", ["laurel", *map(str, arguments)])
        patch.setattr(sys, "stdout", printed)
        patch.setattr(sys, "stderr", failed)
        with pytest.raises(SystemExit) as ended:
            run()
    signal.signal(signal.SIGINT, interrupted)
    stdout, stderr = (file.buffer.getvalue().decode() for file in (printed, failed))
    return Done(int(ended.value.code or 0), stdout, stderr)
