"""Leaves of botocore's data what Laurel's code needs, so that cold starts read less.

`python scripts/lighten.py SITE SOURCES…` cuts the data in the folder of packages SITE to the code in SOURCES:

* Services of which the code makes no client go.
* A model keeps the operations that the code names and what these reach, without documentation, as plain JSON.
* `endpoints.json`, which every session reads, keeps these services, in every region of every partition.

The standard library suffices, because `sam build` runs this outside of any environment.
"""  # noqa: INP001 — scripts are no package

import ast
import gzip
import json
import shutil
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

_MODEL: Final = "service-2.json.gz"
# What botocore calls by itself: for forms that upload, for directory buckets, for buckets in another region.
_OWN_CALLS: Final = {"s3": ("CreateBucket", "CreateSession", "HeadBucket")}


class Code(NamedTuple):
    """What code names: the services of its clients, and everything that may be a method of one."""

    services: frozenset[str]
    names: frozenset[str]


def main() -> None:
    """Lighten the folder of packages that the command line names."""
    site, *sources = map(Path, sys.argv[1:])
    lighten(site, read_code(sources))


def lighten(site: Path, code: Code) -> None:
    """Cut botocore's data in a folder of packages to what code needs."""
    data = site / "botocore" / "data"
    prefixes = set()
    for service in sorted(path for path in data.iterdir() if path.is_dir()):
        if service.name not in code.services:
            shutil.rmtree(service)
            continue
        newest = max(path.parent for path in service.glob(f"*/{_MODEL}"))
        for version in [version for version in service.iterdir() if version != newest]:
            shutil.rmtree(version)
        model = _read_json(newest / _MODEL)
        prefixes.add(model["metadata"]["endpointPrefix"])
        operations = find_operations(model, code.names, own=_OWN_CALLS.get(service.name, ()))
        for path in sorted(newest.iterdir()):
            content = cut_model(model, operations) if path.name == _MODEL else _read_json(path)
            path.unlink()  # first: it may be a hard link into the cache of the installer
            if not path.name.startswith("examples"):
                _write_json(path.with_suffix("") if path.suffix == ".gz" else path, content)
    path = data / "endpoints.json"
    endpoints = cut_endpoints(_read_json(path), prefixes)
    path.unlink()
    _write_json(path, endpoints)


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


def find_operations(model: Any, names: Collection[str], *, own: Collection[str]) -> frozenset[str]:
    """Return the operations that the code names (`get_item`), or that botocore calls."""
    spoken = {name.replace("_", "") for name in names}
    return frozenset(
        name
        for name, operation in model["operations"].items()
        if name.lower() in spoken or name in own or operation.get("endpointoperation")
    )


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
    cut = _drop_documentation({**model, "operations": kept, "shapes": ordered})
    # botocore reads these parameters with their texts.
    return cut | {name: model[name] for name in ("clientContextParams",) if name in model}


def cut_endpoints(endpoints: Any, prefixes: Collection[str]) -> Any:
    """Cut the endpoints to some services, in all regions of all partitions."""
    for partition in endpoints["partitions"]:
        partition["services"] = {name: service for name, service in partition["services"].items() if name in prefixes}
    return endpoints


def _drop_documentation(value: Any) -> Any:
    """Return JSON without texts of documentation; a member of that name stays."""
    if isinstance(value, dict):
        return {
            name: _drop_documentation(entry)
            for name, entry in value.items()
            if name != "documentation" or not isinstance(entry, str)
        }
    return [_drop_documentation(entry) for entry in value] if isinstance(value, list) else value


def _read_json(path: Path) -> Any:
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
