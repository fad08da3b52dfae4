"""The folder of drops: what settles in it is stored under its path, once, and what is no file of its own is not."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.template import Template
from local.work.drops import LOOK_SECONDS, SETTLED_SECONDS, DropFolder
from storage.gateway.aws import AwsObjects
from storage.gateway.bucket import Bucket
from tests.harness.raw_cloud import RawCloud

START = 1_800_000_000.0
NAME = "drops/tiny/ada/runs.jsonl"


class Watched:
    """A folder of drops with a clock of its own."""

    def __init__(self, folder: Path, s3: Any, bucket: str) -> None:
        self.folder, self.s3, self.bucket = folder, s3, bucket
        self.now = START
        self.lines: list[str] = []
        self.drops = self.open()

    def open(self) -> DropFolder:
        """Begin to watch, as a stack that starts."""
        bucket = Bucket(AwsObjects(self.s3), self.bucket)
        return DropFolder(self.folder, self.s3.store, bucket, self.lines.append, clock=lambda: self.now)

    def write(self, name: str, content: bytes, *, age: float = 0.0) -> Path:
        """Write a file that last changed some seconds ago."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (self.now - age, self.now - age))
        return path

    def look(self, *, after: float = LOOK_SECONDS) -> dict[str, bytes]:
        """Look again; return what is stored."""
        self.now += after
        self.drops.poll()
        listed = self.s3.list_objects_v2(Bucket=self.bucket, Prefix="drops/").get("Contents", [])
        return {
            entry["Key"]: self.s3.get_object(Bucket=self.bucket, Key=entry["Key"])["Body"].read() for entry in listed
        }


@pytest.fixture
def watched(tmp_path: Path, cloud: RawCloud, template: Template) -> Watched:
    """An empty folder of drops."""
    return Watched(tmp_path / "drops", cloud.s3, template.resources["ResultsBucket"].name)


def test_a_file_is_taken_once_it_has_settled(watched: Watched) -> None:
    """Not while it changes; then it is stored, announced and moved away; a folder that was deleted is made again."""
    watched.look()
    watched.folder.rmdir()
    watched.look()
    assert stat.S_IMODE(watched.folder.stat().st_mode) == 0o700
    watched.write("tiny/ada/runs.jsonl", b"half")
    assert watched.look(after=SETTLED_SECONDS - 1) == {}
    watched.write("tiny/ada/runs.jsonl", b"whole")
    assert watched.look(after=SETTLED_SECONDS - 1) == {}

    stored = watched.look(after=2)

    assert stored == {NAME: b"whole"}
    assert (watched.folder / "tiny/ada/taken/runs.jsonl").read_bytes() == b"whole"
    assert not (watched.folder / "tiny/ada/runs.jsonl").exists()
    assert stat.S_IMODE(watched.folder.stat().st_mode) == 0o700
    assert watched.lines == []


def test_a_file_that_is_renamed_into_it_is_taken_at_once(watched: Watched) -> None:
    """It was written elsewhere before; folders below the player's are part of the name."""
    waiting = watched.write("tiny/ada/.hidden", b"1", age=SETTLED_SECONDS)
    assert watched.look(after=0) == {}
    (waiting.parent / "again").mkdir()
    waiting.rename(waiting.parent / "again" / "runs.jsonl")

    assert watched.look() == {"drops/tiny/ada/again/runs.jsonl": b"1"}


def test_a_file_whose_move_was_interrupted_is_the_same_object_again(watched: Watched) -> None:
    """Its stack ended after it was stored: the next one stores the same bytes, and keeps both files."""
    watched.write("tiny/ada/runs.jsonl", b"1", age=SETTLED_SECONDS)
    watched.look()
    watched.write("tiny/ada/runs.jsonl", b"1", age=SETTLED_SECONDS)
    watched.drops = watched.open()

    assert watched.look() == {NAME: b"1"}
    assert sorted(path.name for path in (watched.folder / "tiny/ada/taken").iterdir()) == ["runs.jsonl", "runs.jsonl.1"]


def link(path: Path) -> None:
    """Lead to a file elsewhere."""
    path.symlink_to("/etc/passwd")


def link_hard(path: Path) -> None:
    """Be another name of a file elsewhere."""
    other = path.parents[3] / "other"
    other.write_bytes(b"secret")
    path.hardlink_to(other)


def write_long_name(path: Path) -> None:
    """Have a key that is longer than S3 takes."""
    folder = path.parent.joinpath(*["f" * 200] * 5)
    folder.mkdir(parents=True)
    (folder / "runs.jsonl").write_bytes(b"1")


@pytest.mark.parametrize(
    ("place", "make", "reason"),
    [
        ("tiny/ada/runs.jsonl", link, "a link or a device"),
        ("tiny/ada/runs.jsonl", link_hard, "a link or a device"),
        ("tiny/ada/runs.jsonl", os.mkfifo, "a link or a device"),
        ("tiny/grace", lambda path: path.symlink_to(path.parents[2] / "elsewhere"), "a link or a device"),
        ("tiny/runs.jsonl", lambda path: path.write_bytes(b"1"), "belong into drops/BENCHMARK/PLAYER/"),
        ("runs.jsonl", lambda path: path.write_bytes(b"1"), "belong into drops/BENCHMARK/PLAYER/"),
        ("tiny/ada/large", lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 2**31), "the limit is"),
        ("tiny/ada/\udcff.jsonl", lambda path: path.write_bytes(b"1"), "no UTF-8"),
        ("tiny/ada/any", write_long_name, "a key of 1 to"),
    ],
)
def test_what_is_no_file_of_its_own_is_refused_once(
    watched: Watched, place: str, make: Callable[[Path], Any], reason: str
) -> None:
    """It stays where it is, with one line in the log; the next file is taken all the same."""
    path = watched.folder / place
    (watched.folder / "tiny/ada").mkdir(parents=True)
    make(path)
    watched.write("tiny/zoe/runs.jsonl", b"2", age=SETTLED_SECONDS)

    for _ in range(3):
        stored = watched.look(after=SETTLED_SECONDS + 1)

    assert stored == {"drops/tiny/zoe/runs.jsonl": b"2"}
    (line,) = watched.lines
    assert reason in line


@pytest.mark.parametrize("make", [lambda path: path.write_bytes(b"1"), link, lambda path: path.symlink_to(path.parent)])
def test_a_folder_that_nothing_can_be_moved_in_stops_no_other(watched: Watched, make: Callable[[Path], Any]) -> None:
    """What cannot be moved away is not stored, which it would be each second; the next folder is looked at."""
    waits = watched.write("tiny/ada/runs.jsonl", b"1", age=SETTLED_SECONDS)
    make(waits.with_name("taken"))
    watched.write("tiny/zoe/runs.jsonl", b"2", age=SETTLED_SECONDS)

    for _ in range(3):
        assert watched.look() == {"drops/tiny/zoe/runs.jsonl": b"2"}
    (line,) = watched.lines
    assert line.startswith(f"{NAME} is not taken: ")
    waits.with_name("taken").unlink()
    waits.rename(waits.with_name("again.jsonl"))
    assert "drops/tiny/ada/again.jsonl" in watched.look()


def test_a_folder_that_cannot_be_opened_stops_no_other(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once, and the next folder is looked at."""
    watched.write("tiny/ada/runs.jsonl", b"1", age=SETTLED_SECONDS)
    watched.write("tiny/zoe/runs.jsonl", b"2", age=SETTLED_SECONDS)
    real = os.open

    def refuse(path: Any, *arguments: Any, **named: Any) -> int:
        if path == "ada":
            raise PermissionError(13, "Permission denied", path)
        return real(path, *arguments, **named)

    monkeypatch.setattr(os, "open", refuse)

    for _ in range(3):
        assert watched.look() == {"drops/tiny/zoe/runs.jsonl": b"2"}
    assert watched.lines == ["drops/tiny/ada is not taken: [Errno 13] Permission denied: 'ada'"]


def test_a_file_settles_after_the_clock_was_set_back(watched: Watched) -> None:
    """It does not wait until the old time comes again."""
    watched.write("tiny/ada/runs.jsonl", b"1")
    watched.look()

    watched.look(after=-3600)

    assert watched.look(after=SETTLED_SECONDS) == {NAME: b"1"}


def test_any_name_is_the_key_that_it_would_be_on_aws(watched: Watched) -> None:
    """What is no benchmark, no player or no batch is for the function that reads the drops, which reports it."""
    names = (
        "UPPER/ada/runs.jsonl",
        "tiny/No Player/a b.exe",
        "tiny/ada/${filename}",
        "tiny/ada/\u202egnp.jsonl",
        "tiny/ada/0",
    )
    for name in names:
        watched.write(name, b"1", age=SETTLED_SECONDS)

    assert set(watched.look()) == {f"drops/{name}" for name in names}
    assert watched.lines == []


def test_a_file_is_taken_when_there_is_space_again(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the store could not keep stays where it is, is named once, and holds up no other file."""
    watched.write("tiny/ada/runs.jsonl", b"1", age=60)
    store = watched.s3.put_object

    def fill(**request: Any) -> Any:
        if request["Key"] == NAME:
            raise ClientError(
                {"Error": {"Code": "InternalServerError", "Message": "database or disk is full"}}, "PutObject"
            )
        return store(**request)

    with monkeypatch.context() as full:
        full.setattr(watched.s3, "put_object", fill)
        watched.look()
        watched.write("tiny/zoe/runs.jsonl", b"2", age=60)
        assert list(watched.look()) == ["drops/tiny/zoe/runs.jsonl"]

    assert NAME in watched.look()
    (line,) = watched.lines
    assert "disk is full" in line
