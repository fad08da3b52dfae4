"""Several processes on one file: nobody overwrites another one's write, and what was acknowledged survives a kill."""

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from engine.cloud import Engine
from engine.store import Store
from local.template import Template
from storage.gateway.bucket import Bucket
from storage.gateway.conditions import Absent, Put
from storage.gateway.errors import Busy, Conflict
from tests.contract.sides import ACCESS, DEAD, EVALUATE, MAIL, RESULTS

SECONDS = float(os.environ.get("LAUREL_KILL_SECONDS", "3"))
WRITER = Path(__file__).with_name("writer.py")


@pytest.fixture
def path(tmp_path: Path, template: Template) -> Path:
    """A file with the resources of the template."""
    made = Engine(Store(tmp_path / "engine.db"))
    resources = template.resources.values()
    made.declare([(resource.type, resource.name, resource.properties) for resource in resources], sender="")
    made.store.close()
    return tmp_path / "engine.db"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    """Clients of the file."""
    made = Engine(Store(path, busy_seconds=0.2))
    yield made
    made.store.close()


def start(path: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start a process that writes; what it prints is acknowledged."""
    command = [sys.executable, str(WRITER), str(path), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


def test_counters_of_processes_and_threads_add_up(path: Path, engine: Engine) -> None:
    """Three processes of three threads raise one counter conditionally: each raise that was acknowledged counts."""
    processes = [start(path, "raise", str(number)) for number in range(3)]
    raised = sum(int(process.communicate()[0]) for process in processes)

    item = engine.tables.get(ACCESS, {"key": "counter"}) or {}
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert int(item["n"]["N"]) == raised > 0


def test_nothing_acknowledged_is_lost_by_kills(path: Path, engine: Engine) -> None:
    """Whenever writers are killed, each acknowledged write is there, and each write with what follows of it."""
    randomness = random.Random(1)  # noqa: S311
    acknowledged = Counter[str]()
    lines: list[str] = []
    ends, number = time.monotonic() + SECONDS, 0
    while time.monotonic() < ends or number < 4:
        pair = [start(path, "write", f"{number}.{each}") for each in range(2)]
        readers = [Thread(target=lambda process=process: lines.extend(process.stdout or ())) for process in pair]
        for reader in readers:
            reader.start()
        while not lines:  # the first one has begun
            time.sleep(0.01)
        time.sleep(randomness.random() / 2)
        for process in pair:
            process.send_signal(signal.SIGKILL)
            process.wait()
        for reader, process in zip(readers, pair, strict=True):
            reader.join()
            assert process.stdout is not None
            process.stdout.close()
        acknowledged.update(line.strip() for line in lines if line.endswith("\n"))
        lines.clear()
        number += 1

    assert engine.store.read("PRAGMA integrity_check") == [("ok",)]
    keys = {key for (key,) in engine.store.read("SELECT key FROM objects WHERE bucket = ?", RESULTS)}
    notices = [
        json.loads(body)
        for (body,) in engine.store.read("SELECT body FROM messages WHERE queue = ?", EVALUATE.rpartition("/")[2])
    ]
    items = {sort for (sort,) in engine.store.read("SELECT sort FROM items WHERE tbl = ?", MAIL)}
    records = [json.loads(record) for (record,) in engine.store.read("SELECT record FROM records WHERE tbl = ?", MAIL)]
    messages = {
        body for (body,) in engine.store.read("SELECT body FROM messages WHERE queue = ?", DEAD.rpartition("/")[2])
    }
    assert sorted(notice["Records"][0]["s3"]["object"]["key"] for notice in notices) == sorted(keys)
    assert sorted(record["dynamodb"]["Keys"]["item"]["S"] for record in records) == sorted(items)
    pairs = Counter(item.rpartition("-")[0] for item in items)
    assert set(pairs.values()) == {2}  # the two items of each transaction
    stored = {*(f"object {key}" for key in keys), *(f"items {name}" for name in pairs)}
    stored |= {f"message {body}" for body in messages}
    assert set(acknowledged) <= stored
    assert len({line.partition(" ")[0] for line in acknowledged}) == 3


@pytest.fixture
def held(path: Path) -> Iterator[None]:
    """Another writer that does not end."""
    lock = os.open(f"{path}.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield
    os.close(lock)


@pytest.mark.usefixtures("held")
def test_writer_that_does_not_end_is_a_conflict(engine: Engine) -> None:
    """A process that waits too long for another is told what DynamoDB tells of an item in a transaction."""
    put = Put({"key": {"S": "a"}}, Absent("key"))

    with pytest.raises(Busy):
        engine.tables.put(ACCESS, put)
    with pytest.raises(Conflict):
        engine.tables.transact(ACCESS, [put])
    with pytest.raises(Busy):
        Bucket(engine.objects, RESULTS).overwrite("a", b"")


def test_writer_goes_on_when_the_other_one_ends(path: Path, engine: Engine) -> None:
    """A process that gave up waiting takes no turn later: the next writer has the file as soon as it is free."""
    lock = os.open(f"{path}.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(Busy):
        engine.tables.put(ACCESS, Put({"key": {"S": "a"}}, Absent("key")))
    os.close(lock)

    other = Engine(Store(path))
    engine.tables.put(ACCESS, Put({"key": {"S": "b"}}, Absent("key")))
    other.tables.put(ACCESS, Put({"key": {"S": "c"}}, Absent("key")))
    other.store.close()

    assert [key for (key,) in engine.store.read("SELECT hash FROM items ORDER BY hash")] == ["b", "c"]
