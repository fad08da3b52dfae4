"""Salts where the rights of AWS publish: written into the folder, taken from what is stored, one of several tries."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from aggregate.dependencies import make_publisher
from aggregate.versions.publishing import BenchmarkPublisher
from cli import publishing
from local import __main__ as start
from scoring_core.benchmarks.loading import load_folder
from storage.actors import Actor, Role
from storage.audit import AuditTrail
from storage.settings import OperatorPublishSettings
from tests.harness.command_line import laurel
from tests.harness.stack import TRUTH, StackHarness, make_benchmark

type WriteFolder = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteFolder:
    """Write the folder of `tiny` with some keys changed; what else is in it stays."""

    def write(truth: str = TRUTH, **changes: Any) -> Path:
        folder = tmp_path / "tiny"
        folder.mkdir(exist_ok=True)
        for path, content in make_benchmark(truth=truth, **changes).files.items():
            (folder / path).write_bytes(content)
        return folder

    return write


@pytest.fixture
def publisher(stack: StackHarness) -> BenchmarkPublisher:
    """What publishes for operators."""
    settings, cloud = OperatorPublishSettings.read(os.environ), stack.cloud
    return make_publisher(settings, s3=cloud.s3, dynamodb=cloud.dynamodb, clock=stack.aggregator.renderer.clock)


@pytest.fixture
def publish(publisher: BenchmarkPublisher, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Any]:
    """Publish a folder by the command, with the rights of AWS; return what it prints as JSON."""
    monkeypatch.setattr(publishing, "find_settings", lambda *_: OperatorPublishSettings.read(os.environ))
    monkeypatch.setattr(publishing, "make_publisher", lambda *_, **__: publisher)
    monkeypatch.setattr(publishing, "find_operator", lambda: Actor(id="ben", role=Role.OPERATOR))
    return lambda folder: json.loads(laurel("publish", str(folder), "--json").stdout)


def test_operator_s_folder_keeps_its_salt(write: WriteFolder, publish: Callable[[Path], Any]) -> None:
    """It is written at the first publication, and written again from what is stored; a correction changes no salt."""
    folder = write()
    first = publish(folder)
    salt = (folder / "salt.txt").read_text()
    version = load_folder(folder).version
    (folder / "salt.txt").unlink()

    again = publish(folder)
    restored = (folder / "salt.txt").read_text()
    (folder / "salt.txt").unlink()
    corrected = publish(write(TRUTH.replace("5020", "5021")))

    assert (first["version"], again["version"], again["changed"]) == (version, version, False)
    assert (restored, (folder / "salt.txt").read_text()) == (salt, salt)
    assert corrected["version"] == load_folder(folder).version != version
    assert corrected["changes"] == ["ground truth truth.csv"]


@pytest.mark.parametrize("is_same", [True, False])
def test_operators_at_once_end_with_one_salt(
    stack: StackHarness,
    write: WriteFolder,
    publish: Callable[[Path], Any],
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_same: bool,
) -> None:
    """An owner who comes second with the same folder published it; with another that is a conflict, and no salt."""
    folder, add, first = write(), AuditTrail.add, []

    def overtake(trail: AuditTrail, *arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(AuditTrail, "add", add)
        first.append(publish(write(title="Tiny" if is_same else "Another")))
        (folder / "salt.txt").unlink()
        return add(trail, *arguments, **options)

    monkeypatch.setattr(AuditTrail, "add", overtake)

    second = publish(folder)

    published = stack.aggregator.benchmarks.current("tiny", fresh=True)
    assert (published.version, published.publish_number) == (first[0]["version"], 1)
    assert (folder / "salt.txt").exists() == is_same
    if is_same:
        assert second["version"] == load_folder(folder).version == published.version
    else:
        assert (second["status"], second["salt"]) == ("conflict", None)


def test_folder_that_cannot_be_written_is_published(write: WriteFolder, publish: Callable[[Path], Any]) -> None:
    """The platform has the salt, and uses it again."""
    folder = write()
    (folder / "salt.txt").symlink_to(folder / "nowhere" / "salt.txt")

    first, printed, again = publish(folder), laurel("publish", str(folder)).stderr, publish(folder)

    assert (first["version"], again["changed"]) == (again["version"], False)
    assert "could not be written: " in printed


def test_local_stack_writes_salts(
    stack: StackHarness, publisher: BenchmarkPublisher, write: WriteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `make run` publishes has the version of its folder."""
    folder = write()
    monkeypatch.setattr(start, "BENCHMARKS", folder.parent)
    monkeypatch.setattr(start, "_make_publisher", lambda _: publisher)

    published = list(start._publish_shipped(cast("Any", None), Console(), unsupported=()))

    assert published == ["tiny"]
    assert load_folder(folder).salt
    assert stack.aggregator.benchmarks.current("tiny", fresh=True).version == load_folder(folder).version


def test_stack_publishes_no_shipped_benchmark_that_it_cannot_score(
    stack: StackHarness, publisher: BenchmarkPublisher, write: WriteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bubblewrap nothing with a script is published, and nothing of it is played."""
    folder = write()
    monkeypatch.setattr(start, "BENCHMARKS", folder.parent)
    monkeypatch.setattr(start, "_make_publisher", lambda _: publisher)

    published = list(start._publish_shipped(cast("Any", None), Console(), {load_folder(folder).definition.scorer: "x"}))

    assert (published, stack.aggregator.benchmarks.list_ids()) == ([], [])


def test_check_warns_without_a_salt(write: WriteFolder) -> None:
    """It says what to do, and neither it nor `score` shows a version, from which the ground truth could be found."""
    folder = write()
    unsalted = load_folder(folder).version

    printed = laurel("check", str(folder)).stdout
    as_json = laurel("check", str(folder), "--json").stdout
    result = folder / "result.json"
    result.write_text('{"question": "1", "text": "TR-V017-4945"}')
    scored = laurel("score", str(folder), str(result), "--json").stdout
    public = laurel("check", str(write(salt="none"))).stdout

    assert "warning: no salt.txt" in printed
    assert "`laurel publish` writes it" in printed
    assert '"version": null' in as_json
    assert '"signature": ""' in scored
    assert unsalted not in printed + as_json + scored
    assert "salt.txt" not in public
    assert unsalted in public
