"""What to do where this installation lacks a module."""

import json
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution


def explain_missing(module: str) -> str:
    """Return what to do about a module that the extra `science` brings."""
    recorded = None
    with suppress(PackageNotFoundError):
        recorded = distribution("laurel").read_text("direct_url.json")
    source = f" @ {json.loads(recorded)['url']}" if recorded else ""
    command = f"uv tool install --python 3.13 'laurel[science]{source}'"
    return f"this command needs {module}, which is not installed; install it with `{command}`"
