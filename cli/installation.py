"""How this command was installed, and what another installation would bring."""

import json
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from types import ModuleType

from cli.exit_codes import UsageError


def import_for_operators(module: str, *, stack: str | None) -> ModuleType:
    """Import a command that has the rights of AWS, no token. Raises UsageError."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if stack is not None:
            raise
        missing = explain_missing(str(error.name), "operator")
        raise UsageError(
            "LAUREL_TOKEN is not set: expected an owner's token, `export LAUREL_TOKEN=laurel_…`; the administrator "
            f"makes one. Without a token the rights of AWS are used, and {missing}"
        ) from error


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
