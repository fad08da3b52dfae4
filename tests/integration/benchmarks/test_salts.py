"""Salts of what a stack on this machine publishes when it starts: they are written into the folders."""

import os
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from aggregate.benchmarks.publishing import BenchmarkPublisher
from aggregate.dependencies import make_publisher
from local import __main__ as start
from scoring_core.benchmarks.loading import load_folder
from storage.settings import AggregateSettings
from tests.harness.archives import write_files
from tests.harness.command_line import laurel
from tests.harness.stack import StackHarness, make_benchmark


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of `tiny`, without a salt."""
    return write_files(tmp_path / "tiny", make_benchmark().files)


@pytest.fixture
def publisher(stack: StackHarness) -> BenchmarkPublisher:
    """What publishes for operators."""
    settings, cloud = AggregateSettings.read(os.environ), stack.cloud
    return make_publisher(settings, s3=cloud.objects, dynamodb=cloud.dynamodb, clock=stack.aggregator.renderer.clock)


def test_local_stack_writes_salts(
    stack: StackHarness, publisher: BenchmarkPublisher, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `make run` publishes has the version of its folder."""
    monkeypatch.setattr(start, "BENCHMARKS", folder.parent)
    monkeypatch.setattr(start, "_make_publisher", lambda _: publisher)

    published = list(start._publish_shipped(cast("Any", None), Console(), unsupported=(), game=None))

    assert published == ["tiny"]
    assert load_folder(folder).salt
    assert stack.aggregator.benchmarks.current("tiny", fresh=True).version == load_folder(folder).version


def test_stack_publishes_no_shipped_benchmark_that_it_cannot_score(
    stack: StackHarness, publisher: BenchmarkPublisher, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bubblewrap nothing with a script is published, and nothing of it is played."""
    monkeypatch.setattr(start, "BENCHMARKS", folder.parent)
    monkeypatch.setattr(start, "_make_publisher", lambda _: publisher)

    unsupported = {load_folder(folder).definition.scorer}
    published = list(start._publish_shipped(cast("Any", None), Console(), unsupported, game=None))

    assert (published, stack.aggregator.benchmarks.list_ids()) == ([], [])


def test_check_warns_without_a_salt(folder: Path) -> None:
    """It says what to do, and neither it nor `score` shows a version, from which the ground truth could be found."""
    unsalted = load_folder(folder).version

    printed = laurel("check", str(folder)).stdout
    as_json = laurel("check", str(folder), "--json").stdout
    result = folder / "result.json"
    result.write_text('{"question": "1", "text": "TR-V017-4945"}')
    scored = laurel("score", str(folder), str(result), "--json").stdout
    (folder / "benchmark.yaml").write_bytes(make_benchmark(salt="none").files["benchmark.yaml"])
    public = laurel("check", str(folder)).stdout

    assert "warning: no salt.txt" in printed
    assert "`laurel publish` writes it" in printed
    assert '"version": null' in as_json
    assert '"signature": ""' in scored
    assert unsalted not in printed + as_json + scored
    assert "salt.txt" not in public
    assert unsalted in public
