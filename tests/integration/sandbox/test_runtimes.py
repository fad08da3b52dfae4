"""Runtimes on one machine: uv makes the packages of a lock once, and a script can import these and no others."""

import json
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cli.commands.benchmarks.scoring import check_folder, score_file
from local.layout import ROOT
from sandbox import runtimes
from sandbox.runtimes import OWN, SHIPPED, find_mounts, hash_locks, list_locks
from scoring_core.benchmarks.bundle import pack, unpack
from scoring_core.benchmarks.definition import RUNTIME_FILE
from scoring_core.benchmarks.loading import load_bundle, load_folder
from scoring_core.errors import BenchmarkError, SandboxFailure
from tests.harness.stack import COINS

SCRIPT = """
from importlib.util import find_spec
print('{"Coins": %d, "Time": %d}' % (find_spec("threadpoolctl") is not None, find_spec("numpy") is not None))
"""
type WriteFolder = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WriteFolder:
    """Writes a benchmark whose script says which of two packages it could import, on a machine with runtime `own`.

    Its lock has a package of `learning`, which uv has in its cache.
    """
    monkeypatch.chdir(tmp_path)
    head, *packages = (SHIPPED / "pylock.learning.toml").read_text().split("[[packages]]")
    (package,) = (each for each in packages if '"threadpoolctl"' in each)
    OWN.mkdir(parents=True)
    (OWN / "pylock.own.toml").write_text(f"{head}[[packages]]{package}")

    def write(*, script: str = SCRIPT, **changes: object) -> Path:
        folder = tmp_path / "coins"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "examples").mkdir(parents=True)
        (folder / "benchmark.yaml").write_text(json.dumps({**COINS, "salt": "none", **changes}))
        (folder / "evaluate.py").write_text(script)
        (folder / "examples" / "sample.json").write_text("{}")
        return folder

    return write


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_script_has_the_packages_of_its_runtime_and_no_others(write: WriteFolder) -> None:
    """A lock of this machine is a runtime; its packages are made once, and all users of the sandbox read them."""
    scores, made = {}, []
    for runtime in ("own", "own", "plain", "science"):
        folder = write(runtime=runtime)
        scores[runtime] = score_file(folder, folder / "examples" / "sample.json", part=None).judgement.scores
        made += [path.stat().st_ctime_ns for path in OWN.iterdir() if path.is_dir()]

    assert scores == {
        "own": {"Coins": 1, "Time": 0},
        "plain": {"Coins": 0, "Time": 0},
        "science": {"Coins": 0, "Time": 1},
    }
    assert len(made) == 4
    assert len(set(made)) == 1


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_missing_package_is_answered_with_runtimes(write: WriteFolder) -> None:
    """The message about an import that fails names the line that brings it."""
    (check,) = check_folder(write(script="import sklearn")).checks

    assert "`runtime:` in benchmark.yaml names another, as learning with scikit-learn" in check.message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"runtime": "lerning"},
            r"coins/benchmark.yaml: runtime: .* \(learning, own, plain, science\)",
        ),
        ({"runtime": "../own"}, "runtime: "),
        ({"runtime": "plain", "scorer": "fields"}, "runtime: expected scorer script"),
    ],
)
def test_unknown_runtime_is_refused(write: WriteFolder, changes: Mapping[str, object], message: str) -> None:
    """The message says which runtimes there are; a scorer without a script has none."""
    with pytest.raises(BenchmarkError, match=message):
        check_folder(write(**changes))


def test_version_has_the_lock(write: WriteFolder) -> None:
    """The default runtime is in no version; another is, with its lock, which a published bundle carries."""
    plain = load_folder(write(runtime="plain")).pin_runtime(hash_locks())
    default = load_folder(write(runtime="science"))

    assert default.pin_runtime({}).version == load_folder(write()).version
    assert len({default.version, plain.version, plain.pin_runtime({"plain": "other"}).version}) == 3
    published = load_bundle(plain.pack(), plain.definition)
    assert (published.version, published.runtime) == (plain.version, plain.runtime)
    uploaded = load_bundle(pack({**unpack(plain.pack()), RUNTIME_FILE: b"forged"}))
    assert uploaded.runtime.lock is None


def test_lock_is_known_by_its_packages(write: WriteFolder) -> None:
    """Comments decide nothing, a version of a package does."""
    write()
    lock, before = OWN / "pylock.own.toml", hash_locks()["own"]

    lock.write_text(f"# a remark\n{lock.read_text()}")
    remarked = hash_locks()["own"]
    lock.write_text(lock.read_text().replace("version = ", 'version = "0" # ', 1))

    assert remarked == before
    assert hash_locks()["own"] != before


@pytest.mark.parametrize("name", ["science", "Geo", "a-b", "9"])
def test_lock_with_a_name_that_is_none_is_refused(write: WriteFolder, name: str) -> None:
    """A name is part of names in AWS; that of the default runtime is taken."""
    write()
    (OWN / f"pylock.{name}.toml").write_text("")

    with pytest.raises(SandboxFailure, match="small letters and digits"):
        list_locks()


def test_runtime_that_cannot_be_made_says_why(write: WriteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a benchmark nor a result is at fault; nothing half made is left."""
    write()
    with pytest.raises(SandboxFailure, match="there is no runtime other"):
        find_mounts("other")
    lock = OWN / "pylock.own.toml"
    lock.write_text(lock.read_text().replace('sha256 = "', 'sha256 = "0000'))
    with pytest.raises(SandboxFailure, match=r"uv cannot make the runtime of .*own"):
        find_mounts("own")
    assert [path for path in OWN.iterdir() if path.is_dir()] == []
    monkeypatch.setattr(runtimes, "_TOOLS", Path("missing"))
    monkeypatch.delenv("UV", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxFailure, match="needs uv, which is not installed"):
        find_mounts("own")


def test_shipped_lock_is_that_of_the_project() -> None:
    """`learning` has the packages of `science` in the same versions, and those that tests compare with."""
    lock = SHIPPED / "pylock.learning.toml"
    _, command, *_ = lock.read_text().splitlines()
    words = command.removeprefix("#").split()[1:-2]

    done = subprocess.run([runtimes._find_uv(), *words], cwd=ROOT, check=True, capture_output=True, text=True)

    assert tomllib.loads(done.stdout) == tomllib.loads(lock.read_text())
