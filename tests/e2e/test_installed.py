"""The package alone is a server: no repository, no Node, no compiler, no bubblewrap, no AWS."""

import io
import re
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from local.layout import PAGES
from scripts.frontend.build_wheel import build_wheel
from tests.harness.installation import install

pytestmark = [pytest.mark.e2e, pytest.mark.long]

MAX_MB = 60
NOT_SCORED = {"coin-run": "bubblewrap is not installed", "iqa": "scipy is not installed"}
RESULT = {"question": "7", "text": "TR-V030-1519"}


class Server(NamedTuple):
    """A server of the installed package: its environment, its URL, and what it has printed until it was ready."""

    environment: Path
    url: str
    printed: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`laurel local` of the package, in a folder and an environment of its own, with no program on the PATH."""
    folder = tmp_path_factory.mktemp("server")
    command = install(folder / "environment", str(build_wheel()))
    process = subprocess.Popen(
        [command, "local", "--port", "0"],
        cwd=folder,
        env={"PATH": "/nonexistent", "HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        printed += line
        if ready := re.search(r"Laurel runs at (http://localhost:\d+)", line):
            yield Server(folder / "environment", ready[1], printed)
            break
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=60)[0]
    assert (process.returncode, ready is not None) == (0, True), printed + rest


def test_first_page_is_the_built_site(server: Server) -> None:
    """Visitors see what the repository built, and the boards of the shipped benchmarks that can be scored here."""
    page = httpx.get(server.url)
    boards = httpx.get(f"{server.url}/data/index.json").json()["benchmarks"]

    assert page.content == (PAGES / "index.html").read_bytes()
    scored = {"aic-2025", "coin-sprint", "full-duplex", "houses", "rain-tomorrow", "squad-v2"}
    assert {board["id"] for board in boards} == scored
    assert all(board["players"] == 10 for board in boards)


def test_server_says_what_it_cannot_score(server: Server) -> None:
    """One line each names what is missing and how to get it; nothing is published that could not be scored."""
    notes = [line for line in server.printed.splitlines() if "are not published" in line]

    assert [reason in note for reason, note in zip(NOT_SCORED.values(), notes, strict=True)] == [True, True]
    assert "apt-get install bubblewrap" in notes[0]
    for benchmark in NOT_SCORED:
        assert httpx.get(f"{server.url}/data/b/{benchmark}/head.json").status_code == 404


def test_installed_server_scores_a_result(server: Server) -> None:
    """The functions run from the package alone."""
    path, wait = "/api/benchmarks/aic-2025/submissions?player=Me", {"Prefer": "wait=10"}
    answer = httpx.post(f"{server.url}{path}", headers=wait, json=RESULT, timeout=60)

    assert answer.json()["outcome"] == "scored", answer.json()


def test_server_hands_on_the_package_that_it_is(server: Server) -> None:
    """A player installs the command from the site of an installed server: the same files as in the wheel."""
    wheel = build_wheel()

    served = zipfile.ZipFile(io.BytesIO(httpx.get(f"{server.url}/command/{wheel.name}").content))

    built = zipfile.ZipFile(wheel)
    assert {name: served.read(name) for name in served.namelist() if not name.endswith("RECORD")} == {
        name: built.read(name) for name in built.namelist() if not name.endswith("RECORD")
    }


def test_installation_is_small(server: Server) -> None:
    """What is installed, without what Python itself makes of it, is within what a server may take."""
    files = [file for file in server.environment.rglob("*") if file.is_file() and file.suffix != ".pyc"]

    assert sum(file.stat().st_size for file in files) <= MAX_MB * 1_000_000
