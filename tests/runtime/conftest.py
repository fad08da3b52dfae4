"""The built functions, and a moto server that holds what their events speak of."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from local.layout import ROOT
from scripts.artifacts import Build, read_build, this_architecture
from tests.harness.lambda_emulator.stock import start_stocked_cloud
from tests.harness.moto.server import MotoCloud


@pytest.fixture(scope="session")
def build() -> Build:
    """Functions and layers, built for this machine."""
    command = [sys.executable, "scripts/build_lambda.py", this_architecture()]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return read_build(this_architecture())


@pytest.fixture(scope="module")
def cloud(build: Build) -> Iterator[MotoCloud]:
    """AWS with the benchmark and the raw results that the events name."""
    here = start_stocked_cloud(build.template)
    yield here
    here.stop()
