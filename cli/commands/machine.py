"""`laurel use` and `laurel local`: which stack commands speak to, and the whole stack on this machine."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.console import UsageError, make_console, plain
from cli.sites import check_address, find_running, find_site, remember


def use(
    target: Annotated[
        str | None, typer.Argument(help="URL of a site, or the folder where a stack runs; default: show what is used.")
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Forget what is remembered.")] = False,
) -> None:
    """Remember which stack commands speak to, or show it.

    --api and LAUREL_API come first, then the stack of the folder where a command is typed, then what is remembered.
    """
    if forget and target is not None:
        raise UsageError("expected a site or --forget, not both")
    if forget:
        remember(None)
        make_console().print("forgotten")
        return
    if target is not None:
        remember(_read_target(target))
    site = find_site(os.environ.get("LAUREL_API"))
    make_console().print(f"[bold]{plain(site.url)}[/] ({plain(site.source)})")


def _read_target(text: str) -> str | Path:
    """Return the address, or the folder of a stack.

    Raises UsageError, InvalidAddress, NoStack.
    """
    folder = Path(text).expanduser()
    if not folder.is_dir():
        return check_address(text, "laurel use")
    running = find_running(folder.resolve())
    if running is None:
        raise UsageError(f"{text}: expected the folder where a stack was started with `make run`, or a URL")
    return running.folder


def local(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the site; 0 picks a free one.")] = 8000,
    host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another host name of the site besides localhost; repeatable."),
    ] = None,
    samples: Annotated[bool, typer.Option(help="Play sample runs, so that the boards are not empty.")] = True,
) -> None:
    """Run the whole stack on this machine until Ctrl-C."""
    # No module of the CLI may import `local`: it runs as a program of its own.
    names = [word for name in host or [] for word in ("--host", name)]
    arguments = [sys.executable, "-m", "local", "--port", str(port), *names, *([] if samples else ["--no-samples"])]
    os.execv(sys.executable, arguments)  # noqa: S606  # our own program
