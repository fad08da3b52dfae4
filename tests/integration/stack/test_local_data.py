"""The folder of a stack: one at a time, copies and the way back, and what a loss of power leaves."""

import json
import os
import pkgutil
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request

import local
from engine.cloud import Engine
from engine.store import FORM, Store
from local import data as data_module
from local.data import FILE, DataError, back_up, erase, locked, opened, restore, translated
from local.layout import ROOT
from local.log_files import LogFiles
from local.site.storage import Storage
from local.stack import LocalStack
from local.template import Template
from storage.gateway.bucket import Bucket
from storage.gateway.clients import ENGINE_VARIABLE
from storage.gateway.conditions import Absent, Put

WRITER = """
from storage.gateway.bucket import Bucket
from storage.gateway import clients

def lambda_handler(event, _):
    for key in event["keys"]:
        Bucket(clients.gateway().objects, "results").overwrite(key, key.encode() * 100)
    return event["keys"]
"""
WRITES_ON = """
import sys
from contextlib import closing
from pathlib import Path

from engine.cloud import Engine
from engine.store import Store
from local.data import opened
from storage.gateway.bucket import Bucket

folder = Path(sys.argv[1])
with opened(folder) if sys.argv[2] == "stack" else closing(Store(folder / "laurel.db")) as store:
    results = Bucket(Engine(store).objects, "results")
    for number in range(1_000_000):
        results.overwrite(f"results/{number:06}", f"results/{number:06}".encode() * 100)
        print(f"results/{number:06}", flush=True)
"""
ANSWERS = 100


def fill(store: Store, *keys: str) -> None:
    """Store objects under these keys."""
    clients = Engine(store)
    clients.declare([("AWS::S3::Bucket", "results", {})], sender="laurel@example.org")
    for key in keys:
        Bucket(clients.objects, "results").overwrite(key, key.encode() * 100)


def list_keys(store: Store) -> list[str]:
    """List the keys whose objects are whole."""
    rows = store.read("SELECT key, body FROM objects ORDER BY key")
    assert all(body == key.encode() * 100 for key, body in rows)
    return [key for key, _ in rows]


@pytest.mark.parametrize("sync", ["answer", "commit"])
def test_power_cut_loses_nothing_that_was_answered(sync: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file and its log as the disk had them at the last sync before any answer hold it; a torn log changes nothing.

    Of what was not synced any part may be there.
    """
    chance = random.Random(29)  # noqa: S311  # the same moments each time
    with opened(tmp_path / "data") as store:
        fill(store)
    log, disk = tmp_path / "data" / f"{FILE}-wal", tmp_path / "synced"
    disk.mkdir()
    (tmp_path / "writer.py").write_text(WRITER)
    environment = {ENGINE_VARIABLE: str(tmp_path / "data" / FILE), "LAUREL_SYNC": sync, "PYTHONPATH": str(tmp_path)}
    # The worker's calls of fsync are seen from outside: what a file has at that moment is on the disk.
    trace = tmp_path / "sitecustomize.py"
    trace.write_text(
        "import os, shutil\n"
        "real = os.fsync\n"
        "def fsync(descriptor):\n"
        "    path = os.readlink(f'/proc/self/fd/{descriptor}')\n"
        f"    shutil.copyfile(path, {str(disk)!r} + '/' + os.path.basename(path))\n"
        "    real(descriptor)\n"
        "os.fsync = fsync\n"
    )
    shutil.copyfile(tmp_path / "data" / FILE, disk / FILE)
    process = subprocess.Popen(
        [sys.executable, "-m", "local.worker", "writer.lambda_handler"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], **environment},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    answered: list[str] = []
    context = {"function_name": "w", "memory_limit_in_mb": 1, "invoked_function_arn": "w", "aws_request_id": "w"}
    for number in range(ANSWERS):
        keys = [f"{number:03}-{part}" for part in range(chance.randint(1, 3))]
        request = {"event": {"keys": keys}, "timeout_seconds": 60, "context": context}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        answered += json.loads(process.stdout.readline())["answer"]
        if sync == "commit":  # SQLite itself calls the kernel
            shutil.copyfile(log, disk / log.name)
        after = tmp_path / "after"
        shutil.rmtree(after, ignore_errors=True)
        shutil.copytree(disk, after)
        with (after / log.name).open("ab") as torn:  # of what came later, some bytes
            torn.write(chance.randbytes(chance.choice([0, 1, 24, 4096, 5000])))
        with opened(after) as store:
            assert list_keys(store) == answered
    process.kill()
    process.communicate()


def test_power_cut_loses_no_upload_that_was_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of the site, whose own commits do not wait for the disk, answers an upload once the disk has it."""
    data, disk = tmp_path / "data", tmp_path / "synced"
    with opened(data) as store:
        fill(store)
    shutil.copytree(data, disk)
    real = os.fsync

    def copy(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        shutil.copyfile(path, disk / path.name)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", copy)
    with opened(data, durable=False) as store:
        objects = Engine(store).objects
        form = objects.sign_upload("results", "a", size_bytes=100, content_type="text/plain", seconds=60)
        client = Client(Request.application(Storage(objects).answer))
        answer = client.post(form.url, data={**form.fields, "file": (BytesIO(b"a" * 100), "a")})
        with opened(disk) as after:
            kept = list_keys(after)

    assert (answer.status_code, kept) == (204, ["a"])


def test_second_stack_stays_out(tmp_path: Path) -> None:
    """One stack at a time has a folder; nobody deletes what a running one keeps."""
    with opened(tmp_path):
        for enter in (lambda: erase(tmp_path), lambda: opened(tmp_path).__enter__()):
            with pytest.raises(DataError, match="a running stack uses"):
                enter()
    with opened(tmp_path) as store:
        fill(store, "a")
    erase(tmp_path)
    with opened(tmp_path) as store:
        assert list_keys(store) == []


def test_second_stack_with_other_data_takes_no_commands_of_the_first(tmp_path: Path) -> None:
    """The file by which commands find the stack, its token and logs are one stack's, wherever its data is."""
    second = LocalStack(port=0, log=print, state=tmp_path, data=tmp_path / "other")

    with (
        locked(tmp_path),
        pytest.raises(DataError, match=r"a running stack uses .*; stop it, or start this one in another folder"),
        second,
    ):
        pass

    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_warnings_of_functions_are_shown_once_and_nothing_else(tmp_path: Path) -> None:
    """Also where somebody deletes the folder; not those of a stack before, nor half a line."""
    shown: list[str] = []
    warning = b'{"level":"WARNING","message":"no %d","submission":"x","exception":"Trace\\nBusy: later"}\n'
    folder = tmp_path / "log"
    folder.mkdir()
    (folder / "Api.jsonl").write_bytes(warning % 1)
    logs = LogFiles(folder, shown.append)

    for number, deletes in ((2, False), (3, True)):
        with logs.open("Api") as file:
            file.write(b'{"level":"INFO","message":"said \\"WARNING\\""}\nno JSON: "WARNING"\n' + warning % number)
            file.write(b'{"level":"ERROR"')
        logs.show_warnings()
        logs.show_warnings()
        if deletes:
            shutil.rmtree(folder)
    logs.show_warnings()
    with logs.open("Api") as file:
        file.write(warning % 4)
    logs.show_warnings()

    assert shown == [f"Api: no {number} x Busy: later" for number in (2, 3, 4)]


def test_backup_of_a_running_stack_comes_back(tmp_path: Path) -> None:
    """A copy holds all that was committed before it began, as one moment, and only its owner reads it."""
    with opened(tmp_path / "data") as store:
        fill(store, "results/a", "results/b")
        contents = back_up(tmp_path / "data", tmp_path / "copy.db")
        fill(store, "results/c")
    assert (contents.results, (tmp_path / "copy.db").stat().st_mode & 0o777) == (2, 0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "data"]

    with pytest.raises(DataError, match="--replace"):
        restore(tmp_path / "copy.db", tmp_path / "data")
    restore(tmp_path / "copy.db", tmp_path / "data", replace=True)

    with opened(tmp_path / "data") as store:
        assert list_keys(store) == ["results/a", "results/b"]
    (tmp_path / "data" / FILE).unlink()
    (tmp_path / "data" / f"{FILE}.replaced").rename(tmp_path / "data" / FILE)
    with opened(tmp_path / "data") as store:
        assert list_keys(store) == ["results/a", "results/b", "results/c"]


@pytest.mark.parametrize("holder", ["stack", "worker that outlives it"])
def test_restoring_the_file_of_a_running_stack_takes_nothing_from_it(holder: str, tmp_path: Path) -> None:
    """Where a stack holds the lock it is refused; else the copy has all that was acknowledged before. Neither loses."""
    data, copy, linked = tmp_path / "data", tmp_path / "copy", tmp_path / "linked"
    with opened(data) as store:
        fill(store)
    linked.mkdir()
    (linked / FILE).hardlink_to(data / FILE)
    command = [sys.executable, "-c", WRITES_ON, str(data), holder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            acknowledged = [process.stdout.readline().strip() for _ in range(ANSWERS)]
            for enter in (lambda: restore(linked / FILE, copy), lambda: opened(linked).__enter__()):
                with pytest.raises(DataError, match="a running stack uses"):
                    enter()
            if holder == "stack":
                for folder in (copy, data):
                    with pytest.raises(DataError, match="a running stack uses"):
                        restore(data / FILE, folder)
            else:
                contents = restore(data / FILE, copy)[0]
            acknowledged += [process.stdout.readline().strip() for _ in range(ANSWERS)]
        finally:
            process.kill()
            acknowledged += process.communicate()[0].split()

    with opened(data) as store:
        assert set(acknowledged) <= set(list_keys(store))
    if holder != "stack":
        with opened(copy) as store:
            copied = list_keys(store)
        assert contents.results == len(copied) >= ANSWERS
        assert copied == [f"results/{number:06}" for number in range(len(copied))]


def test_no_store_begins_where_another_one_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power cut between the renames of a restore, a start says what is there; another restore goes on."""
    with opened(tmp_path / "data") as store:
        fill(store, "a")
    back_up(tmp_path / "data", tmp_path / "copy.db")
    program = f"""
import os
from pathlib import Path
from local import data
real = data._put_aside
data._put_aside = lambda target: (real(target), os._exit(9))
data.restore(Path({str(tmp_path / "copy.db")!r}), Path({str(tmp_path / "data")!r}), replace=True)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=ROOT).returncode == 9
    drafts = list((tmp_path / "data").glob(".*"))
    assert drafts

    with (
        pytest.raises(DataError, match=r"laurel.db is missing, but laurel.db.replaced is there"),
        opened(tmp_path / "data"),
    ):
        pass

    assert not any(draft.exists() for draft in drafts)  # a whole copy, of a process that is dead
    restore(tmp_path / "copy.db", tmp_path / "data")
    with opened(tmp_path / "data") as store:
        assert list_keys(store) == ["a"]


def test_who_was_erased_since_is_found_in_each_store_of_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also after a restore that did not end, and after two without a start between; a damaged store is named."""
    table = {"KeySchema": [{"AttributeName": "key", "KeyType": "HASH"}]}
    data, copy = tmp_path / "data", tmp_path / "copy.db"

    def erase_player(player: str) -> None:
        with opened(data) as store:
            clients = Engine(store)
            clients.declare([("AWS::DynamoDB::Table", "access", table)], sender="laurel@example.org")
            item = {"key": {"S": f"player#{player}"}, "player": {"S": player}, "erased_at": {"S": "2026-11-28"}}
            clients.tables.put("access", Put(item, Absent("key")))
            named = {"key": {"S": "player#eve"}, "player": {"S": "eve"}, "name": {"S": 'My "erased_at"'}}
            clients.tables.put("access", Put(named, Absent("none")))

    erase_player("ada")
    back_up(data, copy)
    erase_player("guest--zoe")
    notes = ["erased since this backup: guest--zoe; the next start erases them again"]

    assert restore(copy, tmp_path / "other")[1] == []
    assert [restore(copy, data, replace=True)[1] for _ in range(2)] == [notes, notes]
    for path in data.glob(f"{FILE}.replaced*"):
        path.unlink()
    assert restore(copy, data, replace=True)[1] == notes
    (data / FILE).rename(data / f"{FILE}.replaced1")
    damage(data / f"{FILE}.replaced")
    assert data_module.main("restore", str(copy), str(data)) == 0
    said = capsys.readouterr().err
    assert (f"{FILE}.replaced cannot be read" in said, notes[0] in said) == (True, True)


def test_each_store_that_is_replaced_is_kept(tmp_path: Path) -> None:
    """A second restore does not take the first one's away; one of them comes back by a restore of its own."""
    for number in range(3):
        with opened(tmp_path / "data") as store:
            fill(store, f"{number}")
        if number == 0:
            back_up(tmp_path / "data", tmp_path / "copy.db")
        else:
            restore(tmp_path / "copy.db", tmp_path / "data", replace=True)

    restore(tmp_path / "data" / f"{FILE}.replaced", tmp_path / "data", replace=True)

    with opened(tmp_path / "data") as store:
        assert list_keys(store) == ["0", "1"]
    restore(tmp_path / "data" / f"{FILE}.replaced1", tmp_path / "other")
    with opened(tmp_path / "other") as store:
        assert list_keys(store) == ["0", "2"]


@pytest.mark.parametrize(
    "write", [lambda path: path.write_bytes(b""), lambda path: path.write_bytes(b"no store" * 999)]
)
def test_what_is_no_store_is_not_restored(write: Callable[[Path], Any], tmp_path: Path) -> None:
    """Nor is a database of another program, whatever its number; and nothing is left of the attempt."""
    write(tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.executescript(f"CREATE TABLE notes (text); PRAGMA user_version = {FORM}")
    shutil.copy(tmp_path / "other.db", tmp_path / FILE)

    for file in (tmp_path / "copy.db", tmp_path / "other.db"):
        with pytest.raises(DataError, match=r"not a (store|database)"):
            restore(file, tmp_path / "data")
    with pytest.raises(DataError, match="is not a store of Laurel"), opened(tmp_path):
        pass

    assert [path.name for path in (tmp_path / "data").iterdir()] == ["lock"]
    assert (tmp_path / FILE).read_bytes() == (tmp_path / "other.db").read_bytes()


@pytest.mark.parametrize("name", ["file", "file/below", "n" * 300, "locked"])
def test_folder_that_cannot_be_a_stacks_is_named(name: str, tmp_path: Path) -> None:
    """A file in its place, a name that is too long, a lock that is none: a start and a restore say so."""
    (tmp_path / "file").touch()
    (tmp_path / "locked" / "lock").mkdir(parents=True)
    with opened(tmp_path / "data") as store:
        fill(store)
        back_up(tmp_path / "data", tmp_path / "copy.db")

    for enter in (lambda: opened(tmp_path / name).__enter__(), lambda: restore(tmp_path / "copy.db", tmp_path / name)):
        with pytest.raises(DataError, match="cannot be used as a folder of a stack"):
            enter()
    with pytest.raises(DataError, match="is the folder of a stack"):
        back_up(tmp_path / "data", tmp_path / "data" / f"{FILE}-journal")


def damage(path: Path) -> None:
    """Overwrite all pages but the first."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"x" * (path.stat().st_size - 4096))


def make_newer(path: Path) -> None:
    """Let a file be of a later form."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORM + 1}")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (make_newer, f"expected a file of form {FORM}, found form {FORM + 1}"),
        (lambda path: path.write_bytes(b"no database" * 1000), "restores a backup"),
    ],
)
def test_unusable_store_says_what_to_do(change: Callable[[Path], Any], text: str, tmp_path: Path) -> None:
    """A later form and another program's file are told apart, and nothing is overwritten."""
    with opened(tmp_path) as store:
        fill(store, "a")
    change(tmp_path / FILE)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("laurel.*") if not path.name.endswith("-shm")}

    with pytest.raises(DataError, match=text), opened(tmp_path):
        pass

    assert {name: (tmp_path / name).read_bytes() for name in before} == before


def fill_the_disk(store: Store) -> None:
    """Have no room for another page."""
    store.read("PRAGMA max_page_count = 1")
    fill(store, *map(str, range(100)))


def read_damaged(store: Store) -> None:
    """Read what has changed below the store."""
    fill(store, *map(str, range(100)))
    store.checkpoint(log_bytes=1)
    assert store.path is not None
    damage(store.path)
    with closing(Store(store.path)) as other:
        list_keys(other)


@pytest.mark.parametrize(("act", "text"), [(fill_the_disk, "disk is full"), (read_damaged, "is damaged")])
def test_a_start_that_cannot_read_or_write_says_so(act: Callable[[Store], None], text: str, tmp_path: Path) -> None:
    """Whatever of a start comes on a full disk or a damaged page, it ends with a sentence."""
    with opened(tmp_path) as store:
        fill(store)
        with pytest.raises(DataError, match=text), translated(tmp_path / FILE):
            act(store)


def test_damaged_copy_is_not_restored(tmp_path: Path) -> None:
    """Every page of a backup is checked before it takes the place of anything."""
    with opened(tmp_path / "data") as store:
        fill(store, *map(str, range(100)))
        back_up(tmp_path / "data", tmp_path / "copy.db")
    damage(tmp_path / "copy.db")

    with pytest.raises(DataError, match="damaged"):
        restore(tmp_path / "copy.db", tmp_path / "other")
    with pytest.raises(DataError, match="exists already"):
        back_up(tmp_path / "data", tmp_path / "copy.db")


def test_nothing_that_runs_on_one_machine_imports_what_is_for_aws(template: Template) -> None:
    """Neither the stack nor a worker of any function has moto, SAM's translator or boto3, in any module."""
    handlers = {
        properties["Handler"].rpartition(".")[0]
        for properties in template.resources_of("AWS::Lambda::Function").values()
        if "TenancyConfig" not in properties
    }
    stack = [module.name for module in pkgutil.walk_packages(local.__path__, "local.")]
    assert "local.__main__" in stack
    for modules in (stack, ["local.worker", *sorted(handlers)]):
        program = f"import sys, {', '.join(modules)}; print(*{{'moto', 'samtranslator', 'boto3'}} & sys.modules.keys())"
        variables = {"PATH": os.environ["PATH"], ENGINE_VARIABLE: "/nowhere/laurel.db"}
        done = subprocess.run(
            [sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.returncode) == ("\n", 0), (modules, done.stderr)


def test_the_log_is_emptied_while_others_write(tmp_path: Path) -> None:
    """Checkpoints keep it small though writers never pause, and take nothing of what they commit."""
    with opened(tmp_path) as store:
        store.leave_checkpoints()
        fill(store)
        keys = [f"{number:04}" for number in range(400)]
        writer = threading.Thread(target=fill, args=(store, *keys))
        keeper = Store(tmp_path / FILE)
        writer.start()
        sizes = []
        while writer.is_alive():
            keeper.checkpoint(log_bytes=100_000)
            sizes.append((tmp_path / f"{FILE}-wal").stat().st_size)
        writer.join()
        keeper.checkpoint(log_bytes=1)
        keeper.close()

        assert 0 in sizes
        assert (tmp_path / f"{FILE}-wal").stat().st_size == 0
        assert list_keys(store) == keys


def test_a_second_connection_of_a_process_ends_no_lock_of_the_first(tmp_path: Path) -> None:
    """While a process has the store open, the end of another one does not take its log away."""
    path = tmp_path / FILE
    program = f"from pathlib import Path; from engine.store import Store; Store(Path({str(path)!r})).close()"
    first, second = Store(path), Store(path)

    subprocess.run([sys.executable, "-c", program], check=True)

    assert path.with_name(f"{FILE}-wal").exists()
    second.close()
    first.close()
