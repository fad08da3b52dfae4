"""Which stack a command speaks to, and what it says where that cannot be told."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from cli import client as client_module
from cli.client import ApiError, connect
from cli.exit_codes import UsageError
from cli.main import app
from cli.sites import InvalidAddress, NoStack, SiteChoice, announced, check_address, find_admin_token, find_site

OTHER_SITE = "https://laurel.example.org"
RUNNING = "http://localhost:8107"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to type commands in; LAUREL_API is not set."""
    monkeypatch.delenv("LAUREL_API", raising=False)
    folder = tmp_path / "somewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def running(empty: Path) -> Iterator[Path]:
    """The folder of a stack that runs; it is not the one where commands are typed."""
    folder = empty.parent / "laurel"
    (folder / ".laurel").mkdir(parents=True)
    (folder / ".laurel" / "token").write_text("laurel_of-this-stack\n")
    with announced(folder / ".laurel" / "stack.json", url=RUNNING, environment={"LAUREL_ENGINE": "/data/laurel.db"}):
        yield folder


@pytest.mark.usefixtures("empty")
def test_no_stack_is_asked_by_accident() -> None:
    """Where nothing is named or running, no port is tried: the error says how to name a site."""
    with pytest.raises(NoStack, match=r"--api or LAUREL_API .*`laurel local`"):
        find_site(None)


def test_named_site_comes_before_the_folders(running: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest word counts: option, environment, this folder or one above it."""
    below = running / "benchmarks" / "mine"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    nearest = find_site(None)
    monkeypatch.setenv("LAUREL_API", "https://other.example.org/")

    assert nearest == SiteChoice(RUNNING, f"runs in {running}")
    assert find_site("https://other.example.org/") == SiteChoice("https://other.example.org", "LAUREL_API")
    assert find_site("http://127.0.0.1:1") == SiteChoice("http://127.0.0.1:1", "--api")


def test_stack_of_another_user_is_nobodys(running: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a shared folder another user's stack is not taken for one's own."""
    monkeypatch.chdir(running)
    monkeypatch.setattr(os, "getuid", lambda: 4711)

    with pytest.raises(NoStack):
        find_site(None)


@pytest.mark.parametrize(
    ("address", "token"),
    [
        (None, "laurel_of-this-stack"),
        (RUNNING, "laurel_of-this-stack"),
        (f"{RUNNING}/", "laurel_of-this-stack"),
        ("http://127.0.0.1:8107", None),
        ("http://localhost:8108", None),
        ("https://localhost:8107", None),
        ("http://localhost.example.org:8107", None),
        (OTHER_SITE, None),
    ],
)
def test_token_of_a_stack_goes_to_its_address_alone(
    running: Path, monkeypatch: pytest.MonkeyPatch, address: str | None, token: str | None
) -> None:
    """The token in the folder is that of the stack there: another address never gets it, whatever names it."""
    monkeypatch.chdir(running)

    assert find_admin_token(find_site(address)) == token


def test_token_follows_no_redirect_to_another_host(running: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the stack leads to another host, the request goes on without the token."""
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if request.url.host == "localhost":
            return httpx.Response(307, headers={"Location": "https://evil.example.org/api/audit"})
        return httpx.Response(200, json={"entries": [], "next": None})

    create, transport = httpx.Client, httpx.MockTransport(answer)
    monkeypatch.setattr(client_module.httpx, "Client", lambda **options: create(**{**options, "transport": transport}))
    monkeypatch.chdir(running)
    monkeypatch.delenv("LAUREL_TOKEN", raising=False)

    CliRunner().invoke(app, ["audit"], catch_exceptions=False)

    sent = [(request.url.host, request.headers.get("authorization")) for request in asked]
    assert sent == [("localhost", "Bearer laurel_of-this-stack"), ("evil.example.org", None)]


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("localhost:8107", "did you mean http://localhost:8107?"),
        ("laurel.example.org", "did you mean https://laurel.example.org?"),
        ("laurel.example.org/b/aic-2025", "did you mean https://laurel.example.org?"),
        ("http://localhost:8000/b/x?from=3", "did you mean http://localhost:8000?"),
        ("ftp://laurel.example.org", "found 'ftp://laurel.example.org'"),
        ("http://localhost:80000", "Port out of range"),
        ("http://[::1", "Invalid IPv6 URL"),
        ("", "found ''"),
    ],
)
def test_wrong_address_is_shown_with_the_right_one(address: str, hint: str) -> None:
    """An address without a scheme, or of a page, is no riddle."""
    with pytest.raises(InvalidAddress) as raised:
        check_address(address, "LAUREL_API")

    assert str(raised.value).startswith("LAUREL_API: expected an address such as https://laurel.example.org or http://")
    assert hint in str(raised.value)


def test_password_of_an_address_is_not_repeated() -> None:
    """What may be a secret is not printed."""
    with pytest.raises(InvalidAddress) as raised:
        check_address("https://ada:geheim@laurel.example.org", "--api")

    assert "geheim" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("https://laurel.example.org", "check the address and your connection"),
        (RUNNING, "is the stack running (`laurel local`)?"),
    ],
)
def test_only_a_local_site_is_started_with_make(url: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked to start a site that somebody else runs; nothing is said before a request is made."""

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused", request=request)

    create = httpx.Client
    transport = httpx.MockTransport(refuse)
    monkeypatch.setattr(client_module.httpx, "Client", lambda **options: create(**{**options, "transport": transport}))

    with pytest.raises(ApiError, match="does not answer: connection refused") as raised, connect(url) as client:
        client.get("/api/benchmarks")

    assert str(raised.value).endswith(advice)


@pytest.mark.parametrize("variable", ["LAUREL_TOKEN", "LAUREL_RECEIPT", "LAUREL_PLAYER_KEY"])
@pytest.mark.parametrize("secret", ["laurel_…", "laurel_a\nb"])
def test_a_secret_that_no_header_can_carry_is_explained(variable: str, secret: str) -> None:
    """An example that was copied, or a line too much, is no traceback and no connection that fails."""
    command = "submit" if variable == "LAUREL_PLAYER_KEY" else "status"

    done = CliRunner(env={variable: secret, "LAUREL_API": RUNNING}).invoke(app, [command, "coins", "x.json"])

    assert isinstance(done.exception, UsageError), done.exception
    assert "expected it as it was printed" in str(done.exception)
    assert secret not in str(done.exception)


def test_commands_that_write_say_to_which_site(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first request that writes, and once, standard error names the site; reading says nothing."""
    create = httpx.Client
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={}))
    monkeypatch.setattr(client_module.httpx, "Client", lambda **options: create(**{**options, "transport": transport}))

    with connect(RUNNING) as client:
        client.get("/api/benchmarks")
        before = capsys.readouterr().err
        client.post("/api/benchmarks/x/submissions")
        client.post("/api/benchmarks/x/submissions")

    assert before == ""
    assert capsys.readouterr().err == f"site: {RUNNING} (--api)\n"
