"""The whole stack on this machine, and backups of what it keeps."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.sites import DATA_VARIABLE, STACK_FILE, NoStack, find_running


def local(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the site; 0 picks a free one.")] = 8000,
    host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another host name of the site besides localhost; repeatable."),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Address of the site behind a reverse proxy on this machine.")] = None,
    smtp: Annotated[
        str | None, typer.Option(metavar="URL", help="Also send mails, by smtp://USER@HOST:PORT or smtps://….")
    ] = None,
    sender: Annotated[str | None, typer.Option(metavar="ADDRESS", help="The address that mails come from.")] = None,
    admin: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The address that gets the administrator's mails.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep everything there; it starts without benchmarks.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Delete all that is kept, and begin again.")] = False,
    samples: Annotated[
        bool | None, typer.Option(help="Play sample runs into a new store; the default without --data.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, metavar="N", help="Results that are scored at once.")
    ] = None,
    poll: Annotated[float | None, typer.Option(metavar="SECONDS", help="How often it looks for work; 0.25.")] = None,
    mail_retry: Annotated[
        int | None, typer.Option(min=1, max=86400, metavar="SECONDS", help="Before a mail is sent again; 60.")
    ] = None,
    mail_gather: Annotated[
        int | None, typer.Option(min=0, max=86400, metavar="SECONDS", help="Between two mails about the same; 60.")
    ] = None,
    submit_benchmark: Annotated[
        str | None,
        typer.Option(metavar="BENCHMARK[.QUESTION]", help="Where a POST to /submit leads; default: nowhere."),
    ] = None,
) -> None:
    """Run the whole stack on this machine until Ctrl-C; all is kept.

    The site, the API, scoring and mails, without an account anywhere: what AWS does for a deployed stack, this process
    does. A new store gets some benchmarks, sample runs and a game to play with.

    Everything is in .laurel/ of the folder where this is typed, and is there at the next start; other commands typed
    there speak to this stack. `laurel backup` copies it while it runs.

    Evaluation scripts need bubblewrap: without it the start says what is missing.
    """
    _run_local("local", json.dumps(locals(), default=str))


def backup(
    file: Annotated[Path, typer.Argument(help="The copy to write; it must not exist.")],
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="The stack's --data, if none runs here.")] = None,
) -> None:
    """Copy all that the stack on this machine keeps, while it runs or not."""
    _run_local("local.data", "backup", str(file), str(data or _find_data()))


def restore(
    file: Annotated[Path, typer.Argument(help="A copy that `laurel backup` wrote.")],
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="The stack's --data.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Put what is kept aside, as laurel.db.replaced.")] = False,
) -> None:
    """Restore a backup, with which the next stack on this machine starts."""
    _run_local("local.data", "replace" if replace else "restore", str(file), str(data or _find_data()))


def _find_data() -> Path:
    """Return the folder of the stack that runs here, else the usual one."""
    try:
        running = find_running(Path.cwd())
    except NoStack:  # it has ended
        running = None
    return Path(running.environment[DATA_VARIABLE]) if running else STACK_FILE.with_name("data")


def _run_local(module: str, *arguments: str) -> None:
    # No module of the CLI may import `local`: it runs as a program of its own, whose modules no file of this folder
    # may hide.
    # Each request has a thread, and glibc would keep the memory of an upload for each of up to 16 of them.
    environment = {"MALLOC_ARENA_MAX": "2", **os.environ}
    os.execve(sys.executable, [sys.executable, "-P", "-m", module, *arguments], environment)  # noqa: S606  # our own program
