"""How this command was installed, and what another installation would bring."""

import json
from importlib.metadata import PackageNotFoundError, distribution


def explain_missing(module: str) -> str:
    """Return what to do about a module that the extra `science` brings."""
    return f"this command needs {module}, which is not installed; install it with `{write_install()}`"


def write_install() -> str:
    """Return the command that installs this package again, with the extra `science`."""
    source = find_source()
    return f"uv tool install 'laurel[science]{f' @ {source}' if source else ''}'"


def find_source() -> str | None:
    """Return the URL that the package was installed from; None if it has none."""
    try:
        recorded = distribution("laurel").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    return str(json.loads(recorded)["url"]) if recorded else None
