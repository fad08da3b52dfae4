"""Prepares built functions for `sam local`, and keeps moto running with the data that the events name.

`make build && uv run python scripts/sam_local.py`, and beside it `sam local invoke … --config-env local`, which needs
Docker or a compatible tool: `--gateway` is the address at which a container reaches this machine.
"""  # noqa: INP001 — scripts are no package

import argparse
import json
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import yaml

from scripts.artifacts import Architecture, Build, find_build, read_build, this_architecture
from scripts.translation import read_source
from tests.harness.lambda_emulator.emulator import variables_of
from tests.harness.lambda_emulator.events import read_variables
from tests.harness.lambda_emulator.stock import start_stocked_cloud
from tests.harness.moto.server import MotoCloud

SERVED: Final = find_build(Architecture.ARM64).parent
"""The folder of the template and the variables that the environment `local` of samconfig.toml names."""
TEMPLATE, VARIABLES = "local.yaml", "local.json"
_CODE: Final = ("CodeUri", "ContentUri")


def main() -> None:
    """Write what `sam local` reads, and keep moto running until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", default="172.17.0.1", metavar="ADDRESS", help="of Docker; podman's is 10.88.0.1")
    gateway = parser.parse_args().gateway
    build = read_build(this_architecture())
    cloud = start_stocked_cloud(build.template, host=gateway)
    try:
        prepare(build, cloud, SERVED, gateway=gateway)
        sys.stdout.write(
            f"moto listens on {cloud.endpoint}; type in another terminal, in this folder:\n"
            "sam local invoke SubmitFunction -e events/submit.json --config-env local\n"
        )
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
    finally:
        cloud.stop()


def prepare(build: Build, cloud: MotoCloud, folder: Path, *, gateway: str) -> None:
    """Write variables that lead to moto, and a template that declares them.

    SAM passes on no others.
    """
    port = cloud.endpoint.rpartition(":")[2]
    to_moto = {**cloud.environment, "AWS_ENDPOINT_URL": f"http://{gateway}:{port}"}
    values = {name: {**variables_of(build, name), **to_moto, **read_variables(name)} for name in build.functions()}
    document = read_source(build.folder / "template.yaml")
    for function, variables in values.items():
        properties = document["Resources"][function]["Properties"]
        properties["Environment"] = {"Variables": dict.fromkeys(variables, "")}
    for properties in (resource.get("Properties", {}) for resource in document["Resources"].values()):
        properties.update({name: str(build.folder / properties[name]) for name in _CODE if name in properties})
    (folder / TEMPLATE).write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    (folder / VARIABLES).write_text(json.dumps(values, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
