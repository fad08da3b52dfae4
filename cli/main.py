"""The table of commands of `laurel`; a command is imported when it runs."""

import signal
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from cli.exit_codes import FAILED, MEANINGS, CommandError
from scoring_core import __version__
from scoring_core.errors import LaurelError


class LazyCommand(NamedTuple):
    """A command: where its function is in `cli.commands`, and its summary."""

    module: str
    summary: str
    function: str = ""


PANELS: Final[Mapping[str, Mapping[str, LazyCommand]]] = {
    "Submit and read": {
        "submit": LazyCommand("submissions.submitting", "Submit results over HTTP."),
        "drop": LazyCommand("batches", "Submit many results at once."),
        "report": LazyCommand("batches", "Show how a batch went, or list the batches of the last 30 days."),
        "submissions": LazyCommand(
            "submissions.listing",
            "List the submissions of a player, batch or outcome, those in review, or all.",
        ),
        "status": LazyCommand("submissions.submitting", "Show the status of a submission."),
        "board": LazyCommand("boards", "Show the first rows of a board, or all as CSV."),
        "join": LazyCommand("players", "Join by a link, and print the token, which is shown only once."),
        "tokens": LazyCommand("players", "List or revoke the tokens of your player and its members; invite members."),
        "withdraw": LazyCommand(
            "submissions.submitting", "Take a submission or a batch off the board; its record is kept."
        ),
    },
    "Organise": {
        "new": LazyCommand("benchmarks.new", "Make a benchmark's folder that passes `laurel check`, to start from."),
        "score": LazyCommand(
            "benchmarks.scoring", "Score a result on this machine, with the same code as the platform."
        ),
        "check": LazyCommand(
            "benchmarks.scoring", "Score the examples of a benchmark, and compare with examples/expected.yaml."
        ),
        "publish": LazyCommand("benchmarks.publishing", "Check a benchmark's folder and publish it."),
        "work": LazyCommand("work", "Score on this machine what is submitted to a benchmark that says `runs_on: own`."),
        "rows": LazyCommand("rows", "Take over the rows of an earlier board; those of an earlier import leave."),
        "rescore": LazyCommand(
            "benchmarks.publishing", "Score all results under the version published last, then make it current."
        ),
        "reveal": LazyCommand(
            "benchmarks.publishing", "Rank a benchmark that has closed by its hidden rows: the final."
        ),
        "export": LazyCommand("exports", "Write all that is public of a benchmark into a folder, with hashes."),
        "import": LazyCommand(
            "exports", "Go on here with a benchmark that `laurel export --move` wrote.", function="import_"
        ),
        "verify": LazyCommand("exports", "Check an export: its hashes, and where the truth is there scores and ranks."),
        "delete": LazyCommand("benchmarks.publishing", "Delete an archived benchmark to which nobody has submitted."),
        "archive": LazyCommand("benchmarks.publishing", "Hide a benchmark and make it read-only, or bring it back."),
        "accept": LazyCommand("submissions.submitting", "Accept what waits for the owner's look: it counts at once."),
        "invite": LazyCommand("players", "Make, mail, list or take back links by which others join a benchmark."),
        "extend": LazyCommand("players", "Add time for one player after the close, or take it back."),
        "ban": LazyCommand("players", "Ban a player or a name from a benchmark, lift a ban, or list the bans."),
    },
    "Operate a stack": {
        "rebuild": LazyCommand(
            "boards", "Rebuild a board from the records of its submissions; safe while results come in."
        ),
        "sweep": LazyCommand(
            "submissions.submitting", "Queue results without an outcome again, without waiting for the schedule."
        ),
        "audit": LazyCommand("audit", "List who did what: published, rescored, withdrew, made or revoked tokens."),
        "token": LazyCommand("players", "Make a token, and the player if new. The token is printed only once."),
    },
    "This machine": {
        "local": LazyCommand("machine", "Run the whole stack on this machine until Ctrl-C; all is kept."),
        "backup": LazyCommand("machine", "Copy all that the stack on this machine keeps, while it runs or not."),
        "restore": LazyCommand("machine", "Restore a backup, with which the next stack on this machine starts."),
    },
}
"""Topic → name → command, in the order of the help. A test compares each summary with the command's own."""
COMMANDS: Final = {name: command for commands in PANELS.values() for name, command in commands.items()}


SCIENCE: Final = frozenset({"numpy", "pandas", "scipy"})
"""Modules that a command may lack; the extra `science` of the package brings them."""


class LazyGroup(TyperGroup):
    """The commands of COMMANDS. Help and completion of names read the table; only a command that runs is imported."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, command in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=command.summary)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  # Typer's signature
        """Write the commands under what they are about, then the exit codes."""
        for about, commands in PANELS.items():
            with formatter.section(about):
                formatter.write_dl([(name, command.summary) for name, command in commands.items()])
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in MEANINGS.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Import the command that the arguments name. Raises UsageError of Typer."""
        name, _, rest = super().resolve_command(ctx, args)
        command = load_command(str(name))
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return name, command, rest


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # Rich would take twice as long to import as all else that the help needs
    help="Score results of games and AI models, and show boards.",
)


def load_command(name: str) -> Any:
    """Import a command of the table, for Typer."""
    listed = COMMANDS[name]
    function = getattr(import_module(f"cli.commands.{listed.module}"), listed.function or name)
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    single.command(name)(function)
    return typer.main.get_command(single)


def print_version(asked: bool) -> None:
    """Print which release this is, and end the command."""
    if asked:
        sys.stdout.write(f"laurel {__version__}\n")
        raise typer.Exit


@app.callback()
def laurel(
    _: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=print_version)
    ] = False,
) -> None:
    """Score results of games and AI models, and show boards."""


def run() -> None:
    """Run a command; print an error that Laurel raises on purpose as one line."""
    try:
        app(prog_name="laurel")
    except ModuleNotFoundError as error:
        if error.name not in SCIENCE:
            raise
        brings = "`uv tool install --python 3.13 'laurel[science] @ ADDRESS'`, the address of laurel itself, brings it"
        sys.stderr.write(f"error: this command needs {error.name}, which is not installed; {brings}\n")
        sys.exit(1)
    except LaurelError as error:
        from cli.console import print_error  # noqa: PLC0415  # errors alone need it

        print_error(str(error))
        sys.exit(error.exit_code if isinstance(error, CommandError) else FAILED)
    finally:
        # The exit may wait for threads: a second Ctrl-C ends that.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
