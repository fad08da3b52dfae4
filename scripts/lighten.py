"""Makes the packages of a layer lighter for cold starts, without changing what they do for Laurel.

`python scripts/lighten.py SITE SOURCES…` rewrites the folder of packages SITE for the code in SOURCES:

* botocore's models of services keep the operations that the code names and what these reach, without documentation, as
  plain JSON. `endpoints.json`, which every session reads, keeps these services, in every region of every partition.
* What a package's `__init__` only passes on is imported when somebody asks for it (PEP 562).
* Imports that only some functions of a module need move into these functions.
* Typed dictionaries that serve type checkers alone have no keys.

A file is rewritten only if it has the hash that `scripts/lighten.sha256` pins: the file that somebody read.
`python scripts/lighten.py --pin SOURCES…` pins the files of this environment. The standard library suffices, because
`sam build` runs this outside of any environment.
"""  # noqa: INP001 — scripts are no package

import argparse
import ast
import gzip
import hashlib
import json
import shutil
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

PINS: Final = Path(__file__).with_suffix(".sha256")
REPORT: Final = "lighter.json"
"""In the layer, beside the folder of packages: sizes, and the hash of every file that was rewritten."""

# What botocore calls by itself: for forms that upload, for directory buckets, for buckets in another region.
_OWN_CALLS: Final = {"s3": ("CreateBucket", "CreateSession", "HeadBucket")}
_DATA: Final = "botocore/data"
_POWERTOOLS: Final = "aws_lambda_powertools"
_PASSING_ON: Final = (
    f"{_POWERTOOLS}/__init__.py",
    f"{_POWERTOOLS}/event_handler/__init__.py",
    f"{_POWERTOOLS}/event_handler/openapi/__init__.py",
    f"{_POWERTOOLS}/metrics/__init__.py",
    f"{_POWERTOOLS}/tracing/__init__.py",
    f"{_POWERTOOLS}/utilities/batch/__init__.py",
    f"{_POWERTOOLS}/utilities/data_classes/__init__.py",
)
_MOVED: Final = {
    # What renders documentation as HTML.
    "botocore/docs/__init__.py": ("ServiceDocumenter",),
    "botocore/docs/docstring.py": (
        "DocumentStructure",
        "document_model_driven_method",
        "document_paginate_method",
        "document_wait_method",
    ),
    # For times in headers of S3 and in credentials that expire, and for credentials that a program prints.
    "botocore/compat.py": ("tzlocal",),
    "botocore/credentials.py": ("dateutil", "parse", "subprocess", "tzlocal", "tzutc"),
    "botocore/tokens.py": ("dateutil", "tzutc"),
    "botocore/utils.py": ("dateutil", "tzutc"),
    # For requests that a signal ends.
    "botocore/httpsession.py": ("CancelledError",),
    # Reads the version of a package that is not installed.
    "urllib3/http2/__init__.py": ("version",),
    # For processors that are coroutines.
    f"{_POWERTOOLS}/utilities/batch/base.py": ("asyncio",),
}
_REPLACED: Final = {
    # Models that serve annotations, made only if pydantic happens to be imported before.
    f"{_POWERTOOLS}/utilities/batch/types.py": {
        'has_pydantic = "pydantic" in sys.modules': "has_pydantic = False",
    },
    # A program that prints credentials: none is named in a function's configuration.
    "botocore/credentials.py": {
        "class ProcessProvider(CredentialProvider):": (
            "def _popen(*arguments, **options):\n    return subprocess.Popen(*arguments, **options)\n\n\n"
            "class ProcessProvider(CredentialProvider):"
        ),
        "popen=subprocess.Popen": "popen=_popen",
    },
    # Reads files of configuration, of which a function has none.
    "botocore/configloader.py": {
        "import configparser\n": "",
        "        cp = configparser.": "        import configparser\n\n        cp = configparser.",
    },
    # Reads the metadata of every package in search of plugins; `_check_plugins` has made sure that there are none.
    "pydantic/plugin/_loader.py": {
        "from importlib.metadata import entry_points\n": "",
        "_plugins: dict[str, PydanticPluginProtocol] | None = None": "_plugins = {}",
        "            for entry_point in": (
            "            from importlib.metadata import entry_points\n            for entry_point in"
        ),
    },
}
# Compiles each of a thousand annotations; pydantic and its core read none of them.
_KEYLESS: Final = ("pydantic_core/core_schema.py",)
_ON_DEMAND: Final = '''

def __getattr__(name):
    """Import on demand what the package passes on (PEP 562)."""
    if name not in _PASSED_ON:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _PASSED_ON[name]
    imported = import_module(module)
    value = globals()[name] = imported if attribute is None else getattr(imported, attribute)
    return value


def __dir__():
    return sorted({*globals(), *_PASSED_ON})
'''


_UNREVIEWED: Final = """these files are not those that were read when their rewriting was written:
  {}
A new version of a package? Read what changed in them, and whether scripts/lighten.py still rewrites them rightly.
Then pin them:  uv run python scripts/lighten.py --pin layers/storage functions
and run:        uv run pytest tests/unit/test_lighten.py tests/contract/test_light_packages.py tests/runtime
LIGHT=0 builds without rewriting anything."""


class Unreviewed(Exception):
    """What is about to be rewritten is not what was read."""


class Code(NamedTuple):
    """What code names: the services of its clients, and everything that may be a method of one."""

    services: frozenset[str]
    names: frozenset[str]


class Rewriting(NamedTuple):
    """A file and what takes its place, both named from the folder of packages."""

    source: str
    target: str
    text: str


def main() -> int:
    """Lighten a folder of packages, or pin the files of this environment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pin", action="store_true", help="pin the files of this environment; SITE is left out")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="SITE, then SOURCES")
    arguments = parser.parse_args()
    if arguments.pin:
        PINS.write_text(pin(Path(sysconfig.get_paths()["purelib"]), read_code(arguments.folders)), encoding="utf-8")
        return 0
    site, *sources = arguments.folders
    try:
        report = lighten(site, read_code(sources), read_pins())
    except Unreviewed as error:
        sys.exit(f"{Path(__file__).name}: {error}")
    (site.parent / REPORT).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def lighten(site: Path, code: Code, pins: Mapping[str, str]) -> dict[str, Any]:
    """Rewrite a folder of packages; return a report of hashes and sizes.

    Raises Unreviewed, and changes nothing, if a file has another hash than the pinned one.
    """
    rewritings = list(rewrite(site, code))
    contents = {rewriting.source: (site / rewriting.source).read_bytes() for rewriting in rewritings}
    check_pins({name: _hash(content) for name, content in contents.items()}, pins)
    _check_plugins(site)
    before = measure(site)
    for rewriting in rewritings:
        (site / rewriting.source).unlink()  # first: it may be a hard link into the cache of the installer
        (site / rewriting.target).write_text(rewriting.text, encoding="utf-8")
    _delete_unused_data(site, code)
    files = {
        rewriting.source: {
            "source": _hash(contents[rewriting.source]),
            "source_bytes": len(contents[rewriting.source]),
            "target": rewriting.target,
            "target_bytes": len(rewriting.text.encode()),
        }
        for rewriting in rewritings
    }
    return {"bytes_before": before, "bytes_after": measure(site), "files": files}


def rewrite(site: Path, code: Code) -> Iterator[Rewriting]:
    """Return what takes the place of which file; changes nothing."""
    prefixes = set()
    for service in sorted(code.services):
        folder = find_model(site, service)
        model = _read_json(folder / "service-2.json.gz")
        prefixes.add(model["metadata"]["endpointPrefix"])
        operations = find_operations(model, code.names, own=_OWN_CALLS.get(service, ()))
        for path in sorted(folder.glob("*.json*")):
            target = path.with_suffix("") if path.suffix == ".gz" else path
            if not path.name.startswith("examples"):
                cut = cut_data(target.name, _read_json(path), operations)
                yield Rewriting(_name(path, site), _name(target, site), _write_json(cut))
    endpoints = _read_json(site / _DATA / "endpoints.json")
    yield Rewriting(
        f"{_DATA}/endpoints.json", f"{_DATA}/endpoints.json", _write_json(cut_endpoints(endpoints, prefixes))
    )
    for name in sorted({*_PASSING_ON, *_MOVED, *_REPLACED, *_KEYLESS}):
        text = (site / name).read_text(encoding="utf-8")
        if name in _REPLACED:
            text = replace(text, _REPLACED[name])
        if name in _MOVED:
            text = move_imports(text, _MOVED[name])
        if name in _KEYLESS:
            text = drop_keys(text)
        if name in _PASSING_ON:
            text = import_on_demand(text, package=Path(name).parent.as_posix().replace("/", "."))
        yield Rewriting(name, name, text)


def read_code(folders: Iterable[Path]) -> Code:
    """Read which services and names the code in some folders uses."""
    services, names = set(), set()
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="create_client"), args=[ast.Constant(value=str(service)), *_]):
                    services.add(service)
                case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                    names.add(name)
    return Code(frozenset(services), frozenset(names))


def find_model(site: Path, service: str) -> Path:
    """Return the folder of a service's newest model, which clients use."""
    return max(path.parent for path in (site / _DATA / service).glob("*/service-2.json.gz"))


def find_operations(model: Any, names: Collection[str], *, own: Collection[str]) -> frozenset[str]:
    """Return the operations that the code names (`get_item`), or that botocore calls."""
    spoken = {name.replace("_", "") for name in names}
    return frozenset(
        name
        for name, operation in model["operations"].items()
        if name.lower() in spoken or name in own or operation.get("endpointoperation")
    )


def cut_data(kind: str, data: Any, operations: Collection[str]) -> Any:
    """Cut a file of a service's model to some operations; `kind` is the file's name."""
    if kind == "service-2.json":
        return cut_model(data, operations)
    pagination = data["merge"] if kind == "paginators-1.sdk-extras.json" else data
    if "pagination" in pagination:
        pagination["pagination"] = {
            name: pages for name, pages in pagination["pagination"].items() if name in operations
        }
    if kind == "waiters-2.json":
        data["waiters"] = {
            name: waiter for name, waiter in data["waiters"].items() if waiter["operation"] in operations
        }
    return drop_documentation(data)


def cut_model(model: Any, operations: Collection[str]) -> Any:
    """Cut a model to some operations, the shapes that these reach, and all errors."""
    kept = {name: operation for name, operation in model["operations"].items() if name in operations}
    shapes: dict[str, Any] = {}
    left: list[Any] = [kept, *({"shape": name} for name, shape in model["shapes"].items() if shape.get("exception"))]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            shape = value.get("shape")
            if isinstance(shape, str) and shape not in shapes:
                shapes[shape] = model["shapes"][shape]
                left.append(shapes[shape])
        left.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    ordered = {name: shape for name, shape in model["shapes"].items() if name in shapes}
    cut = drop_documentation({**model, "operations": kept, "shapes": ordered})
    # botocore reads these parameters with their texts.
    return cut | {name: model[name] for name in ("clientContextParams",) if name in model}


def cut_endpoints(endpoints: Any, prefixes: Collection[str]) -> Any:
    """Cut the endpoints to some services, in all regions of all partitions."""
    for partition in endpoints["partitions"]:
        partition["services"] = {name: service for name, service in partition["services"].items() if name in prefixes}
    return endpoints


def drop_documentation(value: Any) -> Any:
    """Return JSON without texts of documentation; a member of that name stays."""
    if isinstance(value, dict):
        return {
            name: drop_documentation(entry)
            for name, entry in value.items()
            if name != "documentation" or not isinstance(entry, str)
        }
    return [drop_documentation(entry) for entry in value] if isinstance(value, list) else value


def import_on_demand(text: str, *, package: str) -> str:
    """Rewrite an `__init__` to import on demand what it only passes on.

    An import stays if the module itself uses a name of it, or if a name is also that of the module it comes from:
    importing that module would bind the name to it.
    """
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    passed_on: dict[str, tuple[str, str | None]] = {}
    for node in [node for node in tree.body if isinstance(node, ast.ImportFrom)]:
        module = f"{package}.{node.module}" if node.level else str(node.module)
        names = {alias.asname or alias.name: alias.name for alias in node.names}
        if module.startswith(f"{package}.") and not used & names.keys() and module.rpartition(".")[2] not in names:
            submodule = module.removeprefix(f"{package}.").partition(".")[0]
            passed_on[submodule] = (f"{package}.{submodule}", None)
            passed_on |= {name: (module, attribute) for name, attribute in names.items()}
            tree.body.remove(node)
    return f"{ast.unparse(tree)}\n\n_PASSED_ON = {passed_on!r}\n{_ON_DEMAND}"


def move_imports(text: str, names: Collection[str]) -> str:
    """Rewrite a module so that the functions that use some names import them."""
    tree = ast.parse(text)
    imports: dict[str, ast.stmt] = {}
    for node in [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]:
        for alias in [alias for alias in node.names if _bound(alias) in names]:
            node.names.remove(alias)
            imports[_bound(alias)] = (
                ast.Import([alias])
                if isinstance(node, ast.Import)
                else ast.ImportFrom(node.module, [alias], node.level)
            )
        if not node.names:
            tree.body.remove(node)
    for function in _outermost_functions(tree):
        used = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
        start = 1 if ast.get_docstring(function) is not None else 0
        function.body[start:start] = [imports[name] for name in sorted(used & imports.keys())]
    return f"{ast.unparse(ast.fix_missing_locations(tree))}\n"


def drop_keys(text: str) -> str:
    """Rewrite a module so that its typed dictionaries have no keys at run time."""
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and "TypedDict" in {
            base.id for base in node.bases if isinstance(base, ast.Name)
        }:
            node.body = [ast.Pass()]
    return f"{ast.unparse(tree)}\n"


def replace(text: str, replacements: Mapping[str, str]) -> str:
    """Replace pieces of a text, each of which it must have once. Raises Unreviewed."""
    for before, after in replacements.items():
        if text.count(before) != 1:
            raise Unreviewed(f"expected {before!r} once")
        text = text.replace(before, after)
    return text


def read_pins() -> dict[str, str]:
    """Read the pinned hashes by the names of their files."""
    lines = (line.split(maxsplit=1) for line in PINS.read_text(encoding="utf-8").splitlines())
    return {name: pinned for pinned, name in lines}


def pin(site: Path, code: Code) -> str:
    """Return the text of the file of pins, in the form of `sha256sum`."""
    names = sorted(rewriting.source for rewriting in rewrite(site, code))
    return "".join(f"{_hash((site / name).read_bytes())}  {name}\n" for name in names)


def check_pins(hashes: Mapping[str, str], pins: Mapping[str, str]) -> None:
    """Raise Unreviewed if files have other hashes than the pinned ones."""
    unknown = sorted(name for name in hashes.keys() | pins.keys() if hashes.get(name) != pins.get(name))
    if unknown:
        raise Unreviewed(_UNREVIEWED.format("\n  ".join(unknown)))


def measure(site: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(path.stat().st_size for path in site.rglob("*") if path.is_file())


def _check_plugins(site: Path) -> None:
    for path in sorted(site.glob("*.dist-info/entry_points.txt")):
        if "[pydantic]" in path.read_text(encoding="utf-8"):
            raise Unreviewed(f"{path.parent.name} brings a plugin of pydantic, which would not be loaded")


def _delete_unused_data(site: Path, code: Code) -> None:
    """Delete examples and models of older versions, which no client reads."""
    for service in code.services:
        for folder in (site / _DATA / service).iterdir():
            if not (folder / "service-2.json").is_file():
                shutil.rmtree(folder)
        for path in (site / _DATA / service).glob("*/examples*"):
            path.unlink()


def _outermost_functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from _outermost_functions(child)


def _bound(alias: ast.alias) -> str:
    """Return the name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def _name(path: Path, site: Path) -> str:
    return path.relative_to(site).as_posix()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read_json(path: Path) -> Any:
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)


def _write_json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main())
