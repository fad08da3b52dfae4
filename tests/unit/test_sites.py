"""Which stack a command speaks to, and what it says where that cannot be told."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from cli import client as client_module
from cli.client import ApiError, connect
from cli.main import app
from cli.sites import InvalidAddress, NoStack, SiteChoice, announced, check_address, find_site
from cli.stack import find_local_stack

REMEMBERED = "https://laurel.example.org"
RUNNING = "http://localhost:8107"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to type commands in; nothing is remembered and LAUREL_API is not set."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
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
    with announced(folder / ".laurel" / "stack.json", url=RUNNING, environment={"LAUREL_ENGINE": "/data/laurel.db"}):
        yield folder


def use(*words: str) -> str:
    """Run `laurel use` and return what it prints."""
    done = CliRunner().invoke(app, ["use", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.usefixtures("empty")
def test_no_stack_is_asked_by_accident() -> None:
    """Where nothing is named, running or remembered, no port is tried: the error says how to name a site."""
    with pytest.raises(NoStack, match=r"--api or LAUREL_API .*`laurel use URL`.*`laurel local`"):
        find_site(None)


def test_named_site_comes_before_the_folders_and_that_before_the_remembered_one(
    running: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest word counts: option, environment, this folder or one above it, what was remembered."""
    use(REMEMBERED)
    remembered = find_site(None)
    below = running / "benchmarks" / "mine"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    nearest = find_site(None)
    monkeypatch.setenv("LAUREL_API", "https://other.example.org/")

    assert remembered == SiteChoice(REMEMBERED, "remembered by `laurel use`")
    assert nearest == SiteChoice(RUNNING, f"runs in {running}")
    assert find_site("https://other.example.org/") == SiteChoice("https://other.example.org", "LAUREL_API")
    assert find_site("http://127.0.0.1:1") == SiteChoice("http://127.0.0.1:1", "--api")


def test_remembered_folder_serves_the_operators_commands_too(running: Path) -> None:
    """`laurel use FOLDER` remembers the stack of a folder, whatever port it has each time; --forget undoes it."""
    assert use(str(running)) == f"{RUNNING} (runs in {running}, remembered by `laurel use`)\n"
    assert find_local_stack().environment == {"LAUREL_ENGINE": "/data/laurel.db"}

    use("--forget")

    with pytest.raises(NoStack, match="no stack runs in this folder"):
        find_local_stack()


def test_stack_of_another_user_is_nobodys(running: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a shared folder another user's stack is not taken for one's own."""
    monkeypatch.chdir(running)
    monkeypatch.setattr(os, "getuid", lambda: 4711)

    with pytest.raises(NoStack):
        find_site(None)


def test_remembered_address_gives_no_operators_rights(empty: Path) -> None:
    """A command for operators says that the address is not enough."""
    use(REMEMBERED)

    with pytest.raises(NoStack, match=f"--stack; of {REMEMBERED}"):
        find_local_stack()
    assert json.loads((empty.parent / "config" / "laurel" / "site.json").read_text()) == {"url": REMEMBERED}


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("localhost:8107", "did you mean http://localhost:8107?"),
        ("127.0.0.1:80", "did you mean http://127.0.0.1:80?"),
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
