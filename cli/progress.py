"""Commands that wait: their progress bars, and operations of administrators."""

import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

from cli.client import ApiError, NotFinished, get, post

POLL_SECONDS: Final = 1.0
MAX_WAIT_SECONDS: Final = 3600.0


def show_progress(count: ProgressColumn | None = None, *, hidden: bool = False) -> Progress:
    """Return progress bars on standard error, hidden unless it is a terminal.

    They leave no line behind.
    """
    console = Console(stderr=True)
    is_hidden = hidden or not console.is_terminal
    console.quiet = is_hidden  # a bar that is disabled prints an empty line at its end
    columns = (TextColumn("{task.description}"), BarColumn(), count or MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=is_hidden, transient=True)


def operate(client: httpx.Client, body: Mapping[str, Any]) -> dict[str, Any]:
    """Start an operation, wait until it has ended, and return its result.

    Raises ApiError if it is rejected, or failed, NotFinished if it does not end in time.
    """
    view, until = post(client, "/api/operations", body), time.monotonic() + MAX_WAIT_SECONDS
    url = f"/api/operations/{view['id']}"
    with show_progress() as progress:
        progress.add_task(body["operation"], total=None)
        while view["status"] == "running":
            if time.monotonic() > until:
                raise NotFinished(f"{url}: it goes on, and its report will be there")
            time.sleep(POLL_SECONDS)
            view = get(client, url)
    if view["status"] == "failed":
        raise ApiError(view["detail"])
    return dict(view["result"])


def wait_until_done(client: httpx.Client, accepted: Iterable[Mapping[str, Any]]) -> None:
    """Wait until each accepted submission has an outcome. Raises ApiError.

    Ctrl-C ends it; all of them are stored.
    """
    for each in accepted:
        while get(client, each["status_url"])["status"] != "done":
            time.sleep(POLL_SECONDS)
