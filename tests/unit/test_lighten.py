"""The packages of a layer, made lighter: what is rewritten, what is rejected, and that nothing outside changes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.lighten import (
    Code,
    Unreviewed,
    check_pins,
    cut_model,
    import_on_demand,
    lighten,
    move_imports,
    pin,
    read_code,
    read_pins,
)
from tests.harness.light_packages import SITE, copy_packages, read_laurel

PACKAGES = (
    "aws_lambda_powertools",
    "aws_lambda_powertools.event_handler",
    "aws_lambda_powertools.event_handler.openapi",
    "aws_lambda_powertools.metrics",
    "aws_lambda_powertools.tracing",
    "aws_lambda_powertools.utilities.batch",
    "aws_lambda_powertools.utilities.data_classes",
)


@pytest.fixture(scope="module")
def code() -> Code:
    """What Laurel's code names."""
    return read_laurel()


@pytest.fixture
def site(tmp_path: Path, code: Code) -> Path:
    """The packages of a layer, as they come."""
    return copy_packages(tmp_path, code.services)


def list_files(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_locked_packages_are_those_that_were_read(code: Code) -> None:
    """The pins are those of the packages in this environment, which are the lock's."""
    pinned = dict(line.split()[::-1] for line in pin(SITE, code).splitlines())

    check_pins(pinned, read_pins())


def test_unknown_version_of_a_file_is_named_and_nothing_changes(site: Path, code: Code) -> None:
    """A file that nobody read stops the build, with its name and with what to do."""
    changed = site / "urllib3" / "http2" / "__init__.py"
    changed.write_text(changed.read_text() + "\nSECOND_PROTOCOL = 3\n")
    before = list_files(site)

    with pytest.raises(Unreviewed, match=r"urllib3/http2/__init__\.py\n(.|\n)*--pin(.|\n)*LIGHT=0"):
        lighten(site, code, read_pins())

    assert list_files(site) == before


def test_file_without_pin_is_rejected() -> None:
    """A file that is rewritten for the first time needs a pin."""
    with pytest.raises(Unreviewed, match=r"new\.py"):
        check_pins({"old.py": "1", "new.py": "2"}, {"old.py": "1"})


def test_plugin_of_pydantic_is_rejected(site: Path, code: Code) -> None:
    """No plugin would be loaded, so a layer that carries one is not made lighter."""
    (site / "observer-1.dist-info").mkdir()
    (site / "observer-1.dist-info" / "entry_points.txt").write_text("[pydantic]\nobserver = observer:plugin\n")

    with pytest.raises(Unreviewed, match="observer-1"):
        lighten(site, code, read_pins())


def test_hard_links_keep_their_content(site: Path, code: Code, tmp_path: Path) -> None:
    """What the installer linked from its cache stays in the cache as it was."""
    cache = tmp_path / "cache.py"
    os.link(site / "aws_lambda_powertools" / "__init__.py", cache)
    before = cache.read_bytes()

    lighten(site, code, read_pins())

    assert (site / "aws_lambda_powertools" / "__init__.py").read_bytes() != before
    assert cache.read_bytes() == before


def test_report_has_hash_and_size_of_every_rewritten_file(site: Path, code: Code) -> None:
    """The report is what somebody reads who wants to know what a layer has that its packages have not."""
    before = list_files(site)

    report = lighten(site, code, read_pins())

    after = list_files(site)
    assert {name: entry["source"] for name, entry in report["files"].items()} == read_pins()
    for name, entry in report["files"].items():
        assert entry["source_bytes"] == len(before[name])
        assert entry["target_bytes"] == len(after[entry["target"]])
    untouched = before.keys() - report["files"].keys()
    assert {name for name in untouched & after.keys() if before[name] != after[name]} == set()
    deleted = before.keys() - after.keys() - report["files"].keys()
    assert {name for name in deleted if "/examples-1.json" not in name} == {
        "botocore/data/dynamodb/2011-12-05/endpoint-rule-set-1.json.gz",
        "botocore/data/lambda/2014-11-11/endpoint-rule-set-1.json.gz",
        "botocore/data/lambda/2014-11-11/service-2.json.gz",
    }
    assert report["bytes_before"] - report["bytes_after"] > 1_000_000


def test_packages_pass_on_the_same_names(site: Path, code: Code) -> None:
    """`import *` and every attribute give what the package gives as it comes; what it lacks is an AttributeError."""
    lighten(site, code, read_pins())

    light, whole = list_exports(site), list_exports(SITE)

    for package in PACKAGES:
        assert light[package].pop("file").startswith(f"{site}/")
        assert whole[package].pop("file").startswith(f"{SITE}/")
        assert len(whole[package]["exported"]) > 1
        assert light[package] == whole[package]


def list_exports(site: Path) -> Any:
    """Import the packages of a folder in a process of its own, and return what each exports."""
    script = """
import importlib, json, sys
describe = lambda value: [type(value).__name__, getattr(value, "__module__", ""), getattr(value, "__qualname__", "")]
exports = {}
for package in sys.argv[1:]:
    module = importlib.import_module(package)
    names = {}
    exec(f"from {package} import *", names)
    del names["__builtins__"]
    exports[package] = {
        "file": module.__file__,
        "exported": {name: describe(value) for name, value in names.items()},
        "listed": sorted(set(dir(module)) & set(module.__all__)),
        "other": hasattr(module, "no_such_name"),
    }
print(json.dumps(exports))
"""
    path = {"PYTHONPATH": str(site), "PATH": os.environ["PATH"]}
    completed = subprocess.run(
        [sys.executable, "-c", script, *PACKAGES], env=path, capture_output=True, text=True, check=True
    )
    return json.loads(completed.stdout)


def test_code_is_read_for_services_and_names(tmp_path: Path) -> None:
    """Attributes and strings may be operations; only clients that are created are services."""
    (tmp_path / "bucket.py").write_text(
        'client = session.create_client("s3", config=config)\nclient.get_object(Key="x")\npages("list_objects_v2")\n'
    )

    code = read_code([tmp_path])

    assert code.services == {"s3"}
    assert {"get_object", "list_objects_v2"} <= code.names


def test_model_keeps_what_its_operations_reach() -> None:
    """Shapes of input, output and members stay; errors always; texts go, but not a member of that name."""
    model = {
        "operations": {
            "Get": {"input": {"shape": "In"}, "output": {"shape": "Out"}, "documentation": "<p>"},
            "Put": {"input": {"shape": "Other"}},
        },
        "shapes": {
            "In": {"type": "structure", "members": {"documentation": {"shape": "Text", "documentation": "<p>"}}},
            "Out": {"type": "list", "member": {"shape": "In"}},
            "Text": {"type": "string"},
            "Other": {"type": "string"},
            "Late": {"type": "structure", "members": {"at": {"shape": "When"}}, "exception": True},
            "When": {"type": "timestamp"},
        },
        "clientContextParams": {"Fast": {"documentation": "kept", "type": "boolean"}},
    }

    cut = cut_model(model, {"Get"})

    assert set(cut["operations"]) == {"Get"}
    assert list(cut["shapes"]) == ["In", "Out", "Text", "Late", "When"]
    assert cut["shapes"]["In"]["members"] == {"documentation": {"shape": "Text"}}
    assert "documentation" not in cut["operations"]["Get"]
    assert cut["clientContextParams"] == model["clientContextParams"]


def test_name_of_its_own_module_stays_imported() -> None:
    """Importing `.handler` binds that name to the module, so the function of that name must come first, as before."""
    imports = ("from .handler import handler, other", "from .types import Type", "from pkg.used import VERSION")
    text = "\n".join((*imports, "from sys import path", "__version__ = VERSION"))

    rewritten = import_on_demand(text, package="pkg")

    assert "from .handler import handler, other" in rewritten
    assert "from pkg.used import VERSION" in rewritten
    assert "from sys import path" in rewritten
    assert "from .types import Type" not in rewritten
    assert "_PASSED_ON = {'types': ('pkg.types', None), 'Type': ('pkg.types', 'Type')}" in rewritten


def test_moved_import_is_in_the_functions_that_use_it() -> None:
    """The other functions do without, and other names of the statement stay."""
    text = (
        'from os import sep, path\nimport asyncio\n\ndef join():\n    """Join."""\n    return path, asyncio\n'
        "\ndef bare():\n    return sep\n"
    )

    rewritten = move_imports(text, ("path", "asyncio"))

    assert rewritten == (
        'from os import sep\n\ndef join():\n    """Join."""\n    import asyncio\n    from os import path\n'
        "    return (path, asyncio)\n\ndef bare():\n    return sep\n"
    )


def test_no_name_is_left_without_its_import(site: Path, code: Code) -> None:
    """The linter finds no undefined name in what was rewritten that was not undefined before."""
    modules = [name for name in read_pins() if name.endswith(".py")]
    before = find_undefined_names(site, modules)

    lighten(site, code, read_pins())

    assert find_undefined_names(site, modules) <= before


def find_undefined_names(site: Path, modules: list[str]) -> set[tuple[str, str]]:
    """Return the undefined names of some modules."""
    options = ["--isolated", "--no-cache", "--select", "F821", "--output-format", "json", "--exit-zero"]
    command = [sys.executable, "-m", "ruff", "check", *options, *modules]
    completed = subprocess.run(command, cwd=site, capture_output=True, text=True, check=True)
    return {(Path(found["filename"]).name, found["message"]) for found in json.loads(completed.stdout)}
