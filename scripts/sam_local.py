"""Runs built functions in Lambda's own image with `sam local`, against moto with the data that the events name.

`make build && uv run python scripts/sam_local.py [FUNCTION…]` invokes each function once with its event of `events/`;
`--api` sends a POST to `sam local start-api`. Both need Docker or a compatible tool: `--sam` is the command that runs
SAM, `--gateway` the address at which a container reaches this machine. `--serve` only keeps moto running, for
`sam local invoke … --config-env local` typed beside it. `--dry-run` needs no build and no containers: it prints the
command lines, and asks moto for all that the events name.
"""  # noqa: INP001 — scripts are no package

import argparse
import http.client
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml

from local.aws import LOCALHOST
from local.stack import PARAMETERS
from local.template import load_template
from scripts.artifacts import Architecture, Build, find_build, read_build, this_architecture
from scripts.tools import ROOT, SAM, tool_command
from scripts.translation import read_source
from tests.harness.lambda_emulator.emulator import variables_of
from tests.harness.lambda_emulator.events import is_right, read_event, read_variables, service_of
from tests.harness.lambda_emulator.stock import ask_for, start_stocked_cloud
from tests.harness.moto.server import MotoCloud

START_SECONDS: Final = 180
SERVED: Final = find_build(Architecture.ARM64).parent
"""The folder of the template and the variables that the environment `local` of samconfig.toml names."""
TEMPLATE, VARIABLES = "local.yaml", "local.json"
_CODE: Final = ("CodeUri", "ContentUri")


@dataclass(frozen=True)
class Container:
    """How `sam local` is run."""

    command: Sequence[str]
    template: Path
    variables: Path

    def words(self, subcommand: str, *arguments: str) -> list[str]:
        """Return the command line of a subcommand of `sam local`."""
        options = ["--template", str(self.template), "--env-vars", str(self.variables), "--skip-pull-image"]
        return [*self.command, "local", subcommand, *arguments, *options]


def main(words: Sequence[str] | None = None) -> int:
    """Invoke the named functions, or send a POST to the API.

    Args:
        words: The command line; None: that of this process.

    Returns:
        0; 1 if a function failed, the API did not answer 202, or, in a dry run, moto lacks what an event names.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help="by logical id; all without any")
    parser.add_argument("--api", action="store_true", help="send a POST to the API instead")
    parser.add_argument("--serve", action="store_true", help="keep moto running until Ctrl-C, and invoke nothing")
    parser.add_argument("--dry-run", action="store_true", help="print command lines, ask moto for what events name")
    parser.add_argument("--sam", default=shlex.join(tool_command(SAM, "sam")), metavar="COMMAND")
    parser.add_argument("--gateway", default="172.17.0.1", metavar="ADDRESS", help="of Docker; podman's is 10.88.0.1")
    arguments = parser.parse_args(words)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        build = copy_source(folder) if arguments.dry_run else read_build(this_architecture())
        # A machine without containers does not have the gateway's address.
        cloud = start_stocked_cloud(build.template, host=LOCALHOST if arguments.dry_run else arguments.gateway)
        stack.callback(cloud.stop)
        target = folder if arguments.dry_run else SERVED
        container = prepare(build, cloud, target, command=shlex.split(arguments.sam), gateway=arguments.gateway)
        if arguments.serve:
            return serve(cloud)
        functions = arguments.functions or list(build.functions())
        if arguments.dry_run:
            return int(not show(build, cloud, container, functions))
        if arguments.api:
            return int(not post_to_api(container))
        passed = [invoke(build, container, function) for function in functions]
        return int(not all(passed))


def copy_source(folder: Path) -> Build:
    """Return template.yaml as if it were built, without any code."""
    shutil.copyfile(ROOT / "template.yaml", folder / "template.yaml")
    return Build(folder, load_template(PARAMETERS))


def serve(cloud: MotoCloud) -> int:
    """Keep moto running until Ctrl-C, and return 0."""
    sys.stdout.write(
        f"moto listens on {cloud.endpoint}; type in another terminal, in this folder:\n"
        "sam local invoke SubmitFunction -e events/submit.json --config-env local\n"
    )
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
    return 0


def prepare(build: Build, cloud: MotoCloud, target: Path, *, command: Sequence[str], gateway: str) -> Container:
    """Write variables that lead to moto, and a template that declares them."""
    port = cloud.endpoint.rpartition(":")[2]
    to_moto = {**cloud.environment, "AWS_ENDPOINT_URL": f"http://{gateway}:{port}"}
    values = {name: {**variables_of(build, name), **to_moto, **read_variables(name)} for name in build.functions()}
    document = read_source(build.folder / "template.yaml")
    for function, variables in values.items():
        properties = document["Resources"][function]["Properties"]
        properties["Environment"] = {"Variables": dict.fromkeys(variables, "")}
    for properties in (resource.get("Properties", {}) for resource in document["Resources"].values()):
        properties.update({name: str(build.folder / properties[name]) for name in _CODE if name in properties})
    container = Container(command, target / TEMPLATE, target / VARIABLES)
    container.template.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    container.variables.write_text(json.dumps(values, indent=2), encoding="utf-8")
    return container


def show(build: Build, cloud: MotoCloud, container: Container, functions: Sequence[str]) -> bool:
    """Print the command lines, and return whether moto has all that events name."""
    complete = True
    for function in functions:
        sys.stdout.write(f"{function}: {shlex.join(invocation_of(build, container, function))}\n")
        for name, is_there in ask_for(cloud, build.template, service_of(build.template, function)).items():
            sys.stdout.write(f"  {name}: {'there' if is_there else 'MISSING'}\n")
            complete &= is_there
    sys.stdout.write(f"API: {shlex.join(container.words('start-api', '--port', 'PORT'))}\n")
    return complete


def invocation_of(build: Build, container: Container, function: str) -> list[str]:
    """Return the command line that invokes a function with its event."""
    event = ROOT / "events" / f"{service_of(build.template, function)}.json"
    tenant = ["--tenant-id", "local"] if "TenancyConfig" in build.functions()[function] else []
    return container.words("invoke", function, "--event", str(event), *tenant)


def invoke(build: Build, container: Container, function: str) -> bool:
    """Invoke a function with its event, and return whether its answer is right."""
    words = invocation_of(build, container, function)
    done = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, text=True)  # noqa: S603 — of the caller
    answer = done.stdout.strip()
    passed = done.returncode == 0 and answer != "" and is_right(build.template, function, json.loads(answer))
    sys.stdout.write(f"{function}: {answer[:200] or 'no answer'}\n")
    if not passed:
        sys.stdout.write(done.stderr)
    return passed


def post_to_api(container: Container) -> bool:
    """Post the event's body to the API, and return whether the answer is 202."""
    with socket.create_server((LOCALHOST, 0)) as listener:
        port = listener.getsockname()[1]
    words = container.words("start-api", "--port", str(port))
    environment = os.environ | {"AWS_DEFAULT_REGION": "us-east-1"}
    with subprocess.Popen(words, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 — as above
        try:
            status, body = post(read_event("submit"), port=port)
        finally:
            process.terminate()
            log = process.communicate()[1]
    sys.stdout.write(f"POST: {status} {body}\n" if status else log)
    return status == http.client.ACCEPTED


def post(event: dict[str, Any], *, port: int) -> tuple[int, str]:
    """Send the request of an API Gateway event as soon as the API listens."""
    deadline = time.monotonic() + START_SECONDS
    path = f"{event['rawPath']}?{event['rawQueryString']}"
    headers = {name: value for name, value in event["headers"].items() if name not in {"host", "content-length"}}
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection(LOCALHOST, port, timeout=START_SECONDS)
        try:
            connection.request(event["requestContext"]["http"]["method"], path, event["body"], headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except ConnectionRefusedError:
            time.sleep(0.2)
    raise TimeoutError(f"`sam local start-api` does not listen after {START_SECONDS} seconds")


if __name__ == "__main__":
    sys.exit(main())
