"""Every built function under Lambda's runtime: its own event, twice, a closed sandbox, and its packages."""

import base64
import gzip
import json
import math
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from local.layout import ROOT
from scripts.artifacts import Build, measure_bytes, this_architecture
from scripts.build_lambda import LIMIT_BYTES
from tests.harness.lambda_emulator.emulator import EmulatedFunction, code_of, emulate, variables_of
from tests.harness.lambda_emulator.events import is_right, read_event, read_variables, service_of
from tests.harness.moto.server import CREDENTIALS, MotoCloud

pytestmark = pytest.mark.long

FUNCTIONS = re.findall(
    r"^  (\w+Function):\n    Type: AWS::Serverless", (ROOT / "template.yaml").read_text(), re.MULTILINE
)
LIST_PACKAGES = b"""
import importlib, json, sys
packages = []
for name in ("numpy", "pandas", "scipy", "shapely", "sklearn"):
    try:
        importlib.import_module(name)
        packages.append(name)
    except ImportError:
        pass
print(json.dumps(packages))
"""

type Start = Callable[[str], AbstractContextManager[EmulatedFunction]]


@pytest.fixture
def start(build: Build, cloud: MotoCloud, record_property: Callable[[str, object], None]) -> Start:
    """Start a function against moto."""

    @contextmanager
    def started(function: str) -> Iterator[EmulatedFunction]:
        region = {"AWS_REGION": CREDENTIALS["AWS_DEFAULT_REGION"]}
        given = {**variables_of(build, function), **cloud.environment, **region, **read_variables(function)}
        with emulate(code_of(build, function), given) as emulated:
            yield emulated
        record_property("init_milliseconds", emulated.init_milliseconds())

    return started


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_answers_its_event_twice(
    build: Build, start: Start, function: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A built function, initialised once, gives the right answer to its event, and again to a second one."""
    event = read_event(service_of(build.template, function))

    with start(function) as emulated:
        answers = [emulated.invoke(event).payload for _ in range(2)]

    with capsys.disabled():
        print(f"\n{function}: initialised in {emulated.init_milliseconds()[0]:.0f} ms")  # noqa: T201 — a figure to look at
    assert len(emulated.init_milliseconds()) == 1, "\n".join(emulated.lines)
    for answer in answers:
        assert is_right(build.template, function, answer), answer


def test_sandbox_is_closed_to_its_scripts_under_lambdas_own_runtime(start: Start) -> None:
    """The function starts again from a program that nobody may read, and the runtime goes on as before."""
    with start("SandboxFunction") as emulated:
        answer = emulated.invoke({"self_test": True}).payload["self_test"]
        initialised = len(emulated.init_milliseconds())

    assert not answer["zygote"]["closed"]
    assert answer["run"]["protections"]["supervisor_memory_closed"]
    assert initialised == 1


@pytest.mark.parametrize(
    ("function", "packages"),
    [
        ("SandboxFunction", ["numpy", "pandas", "scipy"]),
        ("SandboxLearningFunction", ["numpy", "pandas", "scipy", "sklearn"]),
        ("SandboxPlainFunction", []),
    ],
)
def test_a_runtime_has_its_packages(start: Start, function: str, packages: list[str]) -> None:
    """A script imports what its runtime brings; anything else is missing."""
    with start(function) as emulated:
        answer = emulated.invoke(run_script(LIST_PACKAGES)).payload

    assert read_output(answer) == packages


def test_a_package_that_nobody_foresaw_is_a_lock(build: Build, tmp_path: Path) -> None:
    """What the documented line wrote for shapely is built as every runtime is, fits, and computes."""
    folder = tmp_path / "layer"
    variables = [f"LOCKS={Path(__file__).parent}", f"ARTIFACTS_DIR={folder}"]
    variables.append(f"LAMBDA_ARCHITECTURE={this_architecture()}")
    command = ["make", "--silent", "--makefile", ROOT / "layers/runtimes/Makefile", "build-SandboxGeoLayer", *variables]
    subprocess.run(command, cwd=tmp_path, check=True)
    script = b"import json, shapely\nprint(json.dumps(shapely.Point(0, 0).buffer(2, quad_segs=64).area))\n"
    code = code_of(build, "SandboxFunction")._replace(layers=[folder])

    with emulate(code, variables_of(build, "SandboxFunction")) as emulated:
        area = read_output(emulated.invoke(run_script(script)).payload)
        others = read_output(emulated.invoke(run_script(LIST_PACKAGES)).payload)

    assert measure_bytes(folder) < LIMIT_BYTES
    assert area == pytest.approx(4 * math.pi, rel=1e-3)
    assert others == ["numpy", "shapely"]


def run_script(script: bytes) -> Any:
    """Return the event of a run of a script on the sample's result."""
    limits = {"timeout_seconds": 120}  # packages that no zygote has read yet, on a busy machine
    return {**read_event("sandbox"), "script": base64.b64encode(gzip.compress(script)).decode(), "limits": limits}


def read_output(answer: Any) -> Any:
    """Return what a script printed as JSON."""
    assert answer["code"] == 0, gzip.decompress(base64.b64decode(answer["stderr"])).decode()
    return json.loads(gzip.decompress(base64.b64decode(answer["stdout"])))
