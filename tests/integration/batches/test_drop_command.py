"""`laurel drop` as model owners type it: packs runs, and packs the same ones into the same bytes."""

import json
import os
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from cli import packing
from cli.commands import batches
from cli.commands.batches import FAILURES
from cli.main import app

STORE = "https://store.example.org/results"

type Laurel = Callable[..., Any]


@dataclass
class Site:
    """The API and the store behind it, as far as a drop needs them.

    Args:
        takes: The formats of results; with `zip` a folder is one.
        refused: Names of files that the store refuses.
        cut: Names of files whose connection is lost, and whether they have come through.
        tickets: The requests for uploads.
        uploads: File name → what was uploaded, in order.
        failing: The entries that have no score, of every upload.
        processing: How many more requests for a status find an upload unread.
        queued: How many entries of every upload are not scored yet.
        withdrawn: How many entries of the batch that every upload repeats are withdrawn; None: it repeats none.
        used_up: Whether the day's quota of uploads is used up.
    """

    takes: tuple[str, ...] = ("json",)
    refused: set[str] = field(default_factory=set)
    cut: dict[str, bool] = field(default_factory=dict)
    tickets: list[dict[str, Any]] = field(default_factory=list)
    uploads: dict[str, bytes] = field(default_factory=dict)
    failing: list[str] = field(default_factory=list)
    processing: int = 0
    queued: int = 0
    withdrawn: int | None = None
    used_up: bool = False

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        if str(request.url) == STORE:
            return self._take(request)
        assert request.headers["authorization"] == "Bearer laurel_x"
        if request.url.path == "/api/benchmarks/coins":
            return httpx.Response(200, json={"submissions": {"takes": self.takes}})
        if request.url.path == "/api/benchmarks/coins/uploads":
            return self._allow(json.loads(request.content))
        if request.url.path == "/api/benchmarks/coins/submissions":
            failures = [{"entry": entry, "status": "invalid", "message": "no coins"} for entry in self.failing]
            return httpx.Response(200, json={"submissions": failures, "next": None})
        upload = request.url.path.rpartition("/")[2]
        name = self.tickets[int(upload.removeprefix("upload-")) - 1]["filename"]
        if self.processing:
            self.processing -= 1
            none = dict.fromkeys(("entries", "queued", "scored", "in_review", *FAILURES), 0)
            return httpx.Response(200, json={"status": "processing", **none, "state": None})
        status = "scoring" if self.queued else "done" if name in self.uploads else "waiting"
        entries = {"entries": 1, "queued": self.queued, "scored": 1, "in_review": 0, "invalid": len(self.failing)}
        faults = {"evaluator_error": 0, "internal_error": 0, "refused": 0, "state": "received"}
        if self.withdrawn is not None:
            faults |= {
                "repeated": True,
                "withdrawn": self.withdrawn,
                "drop": "d1",
                "received_at": "2026-11-26T12:00:00Z",
            }
        return httpx.Response(200, json={"status": status, **entries, **faults})

    def _allow(self, request: dict[str, Any]) -> httpx.Response:
        if self.used_up:
            problem = {"status": 429, "detail": "quota: each player may upload 100 files a day"}
            return httpx.Response(429, json=problem, headers={"content-type": "application/problem+json"})
        self.tickets.append(request)
        if request["bytes"] > 1000:
            problem = {"detail": "bytes: expected 1 to 1000"}
            return httpx.Response(422, json=problem, headers={"content-type": "application/problem+json"})
        ticket = {"upload": f"upload-{len(self.tickets)}", "url": STORE, "fields": {"Content-Type": "text/x"}}
        return httpx.Response(201, json=ticket)

    def _take(self, request: httpx.Request) -> httpx.Response:
        assert "authorization" not in request.headers
        form = request.read()
        (name,) = re.findall(rb'filename="([^"]+)"', form)
        if name.decode() in self.refused:
            return httpx.Response(403)
        if self.cut.get(name.decode()) is False:
            raise httpx.WriteError("cable pulled")
        self.uploads[name.decode()] = form.split(b"\r\n\r\n")[-1].rpartition(b"\r\n--")[0]
        if name.decode() in self.cut:
            raise httpx.ReadError("cable pulled")
        return httpx.Response(204)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    """The API and the store that the command line uses."""
    site = Site()
    monkeypatch.setenv("LAUREL_API", "http://localhost")
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: site.answer(request))
    return site


@pytest.fixture
def laurel() -> Laurel:
    """Type `laurel drop coins …`."""
    runner = CliRunner(env={"LAUREL_TOKEN": "laurel_x", "COLUMNS": "200"})
    return lambda *arguments: runner.invoke(app, ["drop", "coins", *map(str, arguments)])


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with three runs, and something else."""
    folder = tmp_path / "runs"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.json", "b.json", "deep/c.json"):
        (folder / name).write_text(json.dumps({"run": name}))
    (folder / "notes.txt").write_text("not a run")
    return folder


def names_of(archive: bytes) -> list[str]:
    """Return the names in a ZIP."""
    return zipfile.ZipFile(BytesIO(archive)).namelist()


def test_folder_is_packed_into_zips(site: Site, laurel: Laurel, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its .json files, at any depth, go into ZIPs of limited size."""
    monkeypatch.setattr(packing, "MAX_FILES", 2)

    done = laurel(runs)

    assert done.exit_code == 0, done.output
    assert {name: names_of(body) for name, body in site.uploads.items()} == {
        "runs-1.zip": ["a.json", "b.json"],
        "runs-2.zip": ["deep/c.json"],
    }


def test_same_folder_gives_the_same_bytes(
    site: Site, laurel: Laurel, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C the same command uploads the same files under the same names: to the site they are one batch each.

    Times and rights of files, and how the folder is spelled, do not matter.
    """
    monkeypatch.setattr(packing, "MAX_FILES", 1)
    monkeypatch.setattr(batches, "UPLOADS_AT_ONCE", 1)
    answer = site.answer

    def interrupt(request: httpx.Request) -> httpx.Response:
        if len(site.uploads) == 2:
            raise KeyboardInterrupt
        return answer(request)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: interrupt(request))
    interrupted, first = laurel(runs), dict(site.uploads)
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))
    site.uploads.clear()
    for file in runs.glob("*.json"):
        os.utime(file, (0, 1_000_000_000))
        file.chmod(0o600)
    monkeypatch.chdir(runs)

    repeated = laurel(".")

    assert (interrupted.exit_code, repeated.exit_code, sorted(first)) == (130, 0, ["runs-1.zip", "runs-2.zip"])
    assert first.items() <= site.uploads.items()
    assert names_of(site.uploads["runs-3.zip"]) == ["deep/c.json"]


def test_wait_shows_what_failed(site: Site, laurel: Laurel, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--wait` waits until all is scored, and fails if a file failed."""
    monkeypatch.setattr(batches, "POLL_SECONDS", 0.0)
    site.processing, site.failing = 3, ["b.json"]

    failed = laurel(runs, "--wait")

    assert (failed.exit_code, site.processing) == (1, 0)
    assert "✗ " in failed.output
    assert "    invalid b.json: no coins" in failed.output


def test_repeated_batch_that_was_withdrawn_does_not_count(site: Site, laurel: Laurel, runs: Path) -> None:
    """The command does not say that a file counts whose batch was withdrawn, and names what makes it count."""
    site.withdrawn = 0
    counts = laurel(runs / "a.json", "--wait")
    site.withdrawn = 1
    withdrawn = laurel(runs / "b.json", "--wait")

    assert "and counts once; under another name it counts again" in " ".join(counts.output.split())
    assert "counts once" not in withdrawn.output
    assert "withdrawn; under another name it counts again" in " ".join(withdrawn.output.split())


def test_used_up_quota_has_its_own_exit_code(site: Site, laurel: Laurel, runs: Path) -> None:
    """A program reads from the exit code that nothing is to be fixed, only to be repeated later."""
    site.used_up = True

    done = laurel(runs)

    assert done.exit_code == 6, done.output
    assert "✗ " in done.output
    assert "quota: each player may upload 100 files a day" in done.output


def test_failed_upload_stops_no_other(site: Site, laurel: Laurel, tmp_path: Path) -> None:
    """A rejected file is reported, and the next command submits it."""
    files = [tmp_path / name for name in ("good.json", "stopped.json", "long.jsonl")]
    for file, text in zip(files, ("{}", "[]", "1" * 1001), strict=True):
        file.write_text(text)
    site.refused = {"stopped.json"}

    failed = laurel(*files)
    site.refused = set()
    repeated = laurel(*files[:2])

    assert (failed.exit_code, repeated.exit_code) == (1, 0)
    assert "stopped.json: the store rejected it: 403 Forbidden" in failed.output
    assert "long.jsonl: bytes: expected 1 to 1000" in failed.output
    assert sorted(site.uploads) == ["good.json", "stopped.json"]


def test_upload_with_lost_connection_is_reported_unless_it_arrived(site: Site, laurel: Laurel, tmp_path: Path) -> None:
    """Only what did not arrive failed."""
    files = [tmp_path / name for name in ("came.json", "lost.json", "good.json")]
    for file in files:
        file.write_text(f'"{file.name}"')
    site.cut = {"came.json": True, "lost.json": False}

    done = laurel(*files, "--wait")

    assert done.exit_code == 1
    assert [line for line in done.output.splitlines() if "✗" in line] == [
        f"✗ {files[1]}: the connection was lost: cable pulled"
    ]


def test_bundle_is_one_result(site: Site, laurel: Laurel, runs: Path) -> None:
    """A folder of a benchmark that takes ZIPs is submitted whole."""
    site.takes = ("json", "zip")

    laurel(runs)

    assert len(site.tickets) == 1
    assert sorted(names_of(site.uploads["runs-1.zip"])) == ["a.json", "b.json", "deep/c.json", "notes.txt"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("runs.csv", "runs.csv: expected a name that ends in .json, .jsonl, .zip"),
        ("nothing/", "nothing: expected a file, or a folder with files that end in .json"),
        ("caf\udce9.json", r"'caf\udce9.json': expected a name in UTF-8"),
        ("absent.json", "absent.json: expected a file, or a folder with files that end in .json"),
    ],
)
def test_path_without_results_is_rejected(site: Site, laurel: Laurel, tmp_path: Path, name: str, expected: str) -> None:
    """The error names the path, and nothing is submitted."""
    if name.endswith("/"):
        (tmp_path / name).mkdir()
    elif name != "absent.json":
        (tmp_path / name).write_bytes(b"")

    done = laurel(tmp_path / name)

    assert (done.exit_code, str(done.exception).endswith(expected), site.tickets) == (1, True, [])


def test_csv_goes_into_a_folder_where_folders_are_results(site: Site, laurel: Laurel, tmp_path: Path) -> None:
    """The error says what works, and it does."""
    site.takes = ("json", "zip")
    (tmp_path / "mine").mkdir()
    file = tmp_path / "mine" / "runs.csv"
    file.write_text("id,label\n1,a\n")

    alone, folder = laurel(file), laurel(file.parent)

    assert str(alone.exception).endswith(
        "runs.csv: expected a name that ends in .json, .jsonl, .zip; put it into a folder, and drop the folder: "
        "here a folder is one result"
    )
    assert (alone.exit_code, folder.exit_code) == (1, 0)
    assert names_of(site.uploads["mine-1.zip"]) == ["runs.csv"]


def test_waiting_ends_if_nothing_is_scored(
    site: Site, laurel: Laurel, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command stops waiting, and reports that not all is scored."""
    monkeypatch.setattr(batches, "MAX_IDLE_SECONDS", -1.0)
    site.queued = 2

    done = laurel(runs, "--wait")

    assert done.exit_code == 5, done.output
    assert "… " in done.output
    assert "scoring: 2 not scored yet" in done.output
