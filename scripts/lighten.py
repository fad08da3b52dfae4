"""Leaves of botocore's data what Laurel's code needs, so that cold starts read less.

`python scripts/lighten.py SITE SOURCES…` cuts the data in the folder of packages SITE to the code in SOURCES:

* Services of which the code makes no client go.
* A model keeps the operations that the code names, what these reach, and all errors; without documentation, as plain
  JSON. A client reads all of it, and makes a method of each operation.
* `endpoints.json`, which every session reads, keeps these services, in every region of every partition.

The standard library suffices, because `sam build` runs this outside of any environment.
"""  # noqa: INP001 — scripts are no package

import gzip
import json
import re
import shutil
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

_MODEL: Final = "service-2.json.gz"
_CLIENT: Final = re.compile(r'\.create_client\(\s*"([a-z0-9-]+)"')
_NAME: Final = re.compile(r"\w+")
_OWN_CALLS: Final = frozenset({"CreateBucket", "CreateSession", "HeadBucket"})
"""S3's, which botocore calls or asks by itself: for forms that upload, directory buckets, buckets in another region."""


def main() -> None:
    """Lighten the folder of packages that the command line names."""
    site, *sources = map(Path, sys.argv[1:])
    lighten(site, read_code(sources))


class Code(NamedTuple):
    """What code names: services of clients, and what may be an operation, in small letters and without `_`."""

    services: frozenset[str]
    names: frozenset[str]


def lighten(site: Path, code: Code) -> None:
    """Cut botocore's data in a folder of packages to what some code names."""
    data = site / "botocore" / "data"
    prefixes = set()
    for service in sorted(path for path in data.iterdir() if path.is_dir()):
        if service.name not in code.services:
            shutil.rmtree(service)
            continue
        newest = max(path.parent for path in service.glob(f"*/{_MODEL}"))
        for version in [version for version in service.iterdir() if version != newest]:
            shutil.rmtree(version)
        for path in sorted(newest.iterdir()):
            content = _read_json(path)
            if path.name == _MODEL:
                prefixes.add(content["metadata"]["endpointPrefix"])
                # botocore reads these parameters with their texts.
                kept = {name: content[name] for name in ("clientContextParams",) if name in content}
                content = _drop_documentation(_cut_model(content, code.names)) | kept
            path.unlink()  # first: it may be a hard link into the cache of the installer
            if not path.name.startswith("examples"):
                _write_json(path.with_suffix("") if path.suffix == ".gz" else path, content)
    path = data / "endpoints.json"
    endpoints = cut_endpoints(_read_json(path), prefixes)
    path.unlink()
    _write_json(path, endpoints)


def read_code(folders: Iterable[Path]) -> Code:
    """Read what the code in some folders names."""
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")]
    names = {name for source in sources for name in _NAME.findall(source)}
    return Code(
        frozenset(service for source in sources for service in _CLIENT.findall(source)),
        frozenset(name.replace("_", "").lower() for name in names),
    )


def cut_endpoints(endpoints: Any, prefixes: Collection[str]) -> Any:
    """Cut the endpoints to some services, in all regions of all partitions."""
    for partition in endpoints["partitions"]:
        partition["services"] = {name: service for name, service in partition["services"].items() if name in prefixes}
    return endpoints


def _cut_model(model: Any, names: Collection[str]) -> Any:
    """Cut a model to some operations, the shapes that these reach, and errors."""
    kept = {
        name: operation
        for name, operation in model["operations"].items()
        if name.lower() in names or name in _OWN_CALLS or operation.get("endpointoperation")
    }
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
    return {**model, "operations": kept, "shapes": shapes}


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
