"""How this command was installed, and what another installation would bring."""

import json
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from cli.exit_codes import UsageError
from cli.sites import NoStack, find_running, read_remembered


def import_for_operators(module: str, *, stack: str | None) -> ModuleType:
    """Import a command that has an operator's rights. Raises UsageError."""
    if stack is None and find_spec("boto3") is None and not _has_stack():
        missing = explain_missing("boto3", "operator")
        raise UsageError(
            "LAUREL_TOKEN is not set: expected an owner's token, `export LAUREL_TOKEN=laurel_…`; the administrator "
            f"makes one. Without a token the rights of AWS are used, and {missing}"
        )
    return import_module(module)


def _has_stack() -> bool:
    """Return whether a stack on this machine is meant: it needs no packages of AWS."""
    try:
        return find_running(Path.cwd()) is not None or isinstance(read_remembered(), Path)
    except NoStack:  # it has ended, which the command says
        return True


def explain_missing(module: str, extra: str) -> str:
    """Return what to do about a module that an extra of the package brings."""
    return f"this command needs {module}, which is not installed; install it with `{write_install(extra)}`"


def write_install(extra: str) -> str:
    """Return the command that installs this package again, with an extra."""
    source = find_source()
    package = f"laurel[{extra}]"
    return f"uv tool install '{package} @ {source}'" if source else f"uv tool install '{package}'"


def find_source() -> str | None:
    """Return the URL that the package was installed from; None if it has none."""
    try:
        recorded = distribution("laurel").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    return str(json.loads(recorded)["url"]) if recorded else None
