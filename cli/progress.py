"""Progress bars of commands that wait."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn


def show_progress(count: ProgressColumn | None = None, *, hidden: bool = False) -> Progress:
    """Return progress bars on standard error, hidden unless it is a terminal.

    They leave no line behind.
    """
    console = Console(stderr=True)
    is_hidden = hidden or not console.is_terminal
    console.quiet = is_hidden  # a bar that is disabled prints an empty line at its end
    columns = (TextColumn("{task.description}"), BarColumn(), count or MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=is_hidden, transient=True)
