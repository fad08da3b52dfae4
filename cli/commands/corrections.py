"""`laurel rescore`, by an owner's token or AWS's credentials, `laurel reviews`, `laurel ban` and `laurel archive`."""

import time
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any, NamedTuple

import httpx
import typer
from rich.table import Table

from aggregate.paging import show_rows
from aggregate.versions.changes import PlayerChange, compare_boards
from cli.boards.files import HttpFiles, reading_board
from cli.client import NotFinished, SiteClient, asks_site, connect, get, list_pages, post
from cli.commands.reports import format_moment
from cli.console import (
    AsJson,
    BenchmarkId,
    DryRun,
    Host,
    StackName,
    Token,
    make_console,
    plain,
    print_json,
    print_wide,
)
from cli.exit_codes import UsageError
from cli.installation import import_for_operators
from cli.progress import show_progress
from scoring_core.metrics.spelling import show_number
from scoring_core.urls import benchmark_url
from storage.access.names import InvalidName, check_reason
from storage.benchmarks.corrections import CorrectionNote
from storage.boards.models import Head, Rows
from storage.boards.reading import BoardFiles
from storage.boards.standings import Columns
from storage.keys import MAIN_BOARD

POLL_SECONDS = 2.0
Reason = Annotated[
    str | None, typer.Option(help="Why scores are corrected, shown to everybody: 1-300 characters.", show_default=False)
]
MAX_WAIT_SECONDS = 3600.0
"""The platform goes on every 10 minutes, and the results of other benchmarks come between."""


class RescoreReport(NamedTuple):
    """What a rescore changed: every player, with the value of one metric (`column`)."""

    benchmark: str
    before: str
    version: str
    results: int
    column: str
    changes: list[PlayerChange]


class _State(NamedTuple):
    """What a board shows."""

    head: Head
    rows: Rows


def rescore(
    benchmark: BenchmarkId,
    stack: StackName = None,
    host: Host = None,
    token: Token = None,
    reason: Reason = None,
    dry_run: DryRun = False,
    json: AsJson = False,
) -> None:
    """Score all results under the version published last, then make it current.

    With an owner's token the platform does it, and begins at once. With --stack, or without a token, the
    rights of AWS are used. Ctrl-C stops the waiting, not the rescore. Run the command again to wait again.

    The page of the benchmark then lists the correction, with its reason.
    """
    note = check_note(reason)
    report: RescoreReport | None
    if token is None or stack is not None:
        operators = import_for_operators("cli.commands.rescores", stack=stack)
        report = operators.rescore_with_aws(benchmark, stack=stack, note=note, dry_run=dry_run, json=json)
    elif dry_run:
        raise UsageError("--dry-run needs the rights of AWS: name the stack with --stack")
    else:
        with connect(host, benchmark=benchmark, token=token) as client:
            report = follow_rescore(HttpFiles(client), benchmark, lambda: request_rescore(client, benchmark, note))
    if report is None:
        return
    if json:
        print_json({**report._asdict(), "changes": [change._asdict() for change in report.changes]})
        return
    changed = [change for change in report.changes if change.is_change]
    console = make_console()
    console.print(f"[bold]{benchmark}[/] version {report.before} → {report.version}, {report.results} results scored")
    print_changes(changed, report.column)
    console.print(f"{len(changed)} of {len(report.changes)} players changed")


def check_note(reason: str | None) -> CorrectionNote:
    """Return a note with a reason that can be shown. Raises UsageError."""
    try:
        return CorrectionNote("" if reason is None else check_reason(reason))
    except InvalidName as error:
        raise UsageError(f"--reason: {error}") from error


def describe_note(note: CorrectionNote) -> dict[str, Any]:
    """Return a note as the API takes it."""
    return {"reason": note.reason} if note.reason else {}


def request_rescore(client: httpx.Client, benchmark: str, note: CorrectionNote) -> str:
    """Ask for a rescore; return the version that it leads to. Raises ApiError."""
    return str(post(client, f"{benchmark_url(benchmark)}/rescore", describe_note(note))["next"])


def follow_rescore(
    files: BoardFiles, benchmark: str, request: Callable[[], str], check: Callable[[], None] = lambda: None
) -> RescoreReport:
    """Request a rescore, and wait until the board shows the next version.

    Args:
        files: Where the board is.
        benchmark: The benchmark's id.
        request: Requests it and returns the next version.
        check: Raises if that version will never be current.

    Raises:
        LaurelError: It is not allowed, nothing is to be rescored, or it does not end in time.
    """
    before = _read_board(files, benchmark)
    following, until = request(), time.monotonic() + MAX_WAIT_SECONDS
    with show_progress() as progress:
        progress.add_task("the platform scores all results again", total=None)
        while (head := files.find_head(benchmark, MAIN_BOARD)) is None or head.version != following:
            check()
            if time.monotonic() > until:
                raise NotFinished(
                    f"{benchmark}: version {following} is not current yet; it stays requested. Results that fail under "
                    f"it hold it back: see `laurel errors {benchmark}`"
                )
            time.sleep(POLL_SECONDS)
    after = _read_board(files, benchmark)
    column = next(metric.id for metric in after.head.metrics if metric.primary)
    changes = compare_boards(before.rows, after.rows, column=column)
    results = after.head.counts.submissions
    return RescoreReport(benchmark, before.head.version, following, results, column, changes)


def print_changes(changes: Sequence[PlayerChange], column: str) -> None:
    """Print whose rank or value changed."""
    if not changes:
        return
    table = Table("player", box=None)
    table.add_column("rank", justify="right")
    table.add_column(plain(column), justify="right")
    for change in changes:
        ranks = f"{change.rank_before or '–'} → {change.rank_after or '–'}"
        values = f"{show_number(change.value_before)} → {show_number(change.value_after)}"
        table.add_row(plain(change.name), f"{ranks} {_arrow(change)}", values)
    print_wide(table)


def _read_board(files: BoardFiles, benchmark: str) -> _State:
    with reading_board(files, benchmark, MAIN_BOARD) as board:
        columns = Columns(board.view.order, tuple(board.head.rows.scores), board.head.row_kind == "label")
        return _State(board.head, show_rows(list(board.all_rows()), columns))


def _arrow(change: PlayerChange) -> str:
    if change.rank_before is None or change.rank_after is None or change.rank_before == change.rank_after:
        return " "
    return "[green]↑[/]" if change.rank_after < change.rank_before else "[red]↓[/]"


class Decision(StrEnum):
    """What an owner decides about a submission in review."""

    ACCEPT = "accept"
    WITHDRAW = "withdraw"


@asks_site("token")
def reviews(
    site: SiteClient,
    benchmark: BenchmarkId,
    decision: Annotated[Decision | None, typer.Argument(help="What becomes of a submission; default: list.")] = None,
    submission: Annotated[str | None, typer.Argument(help="The id of the submission.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why; of a withdrawal it is shown to everybody.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Number of submissions listed, newest first.")] = 50,
) -> None:
    """List what waits for the owner's look, and accept or withdraw it; needs a token.

    `review` in benchmark.yaml says what waits. An accepted submission counts at once; a withdrawn one never does.
    """
    path = f"{benchmark_url(benchmark)}/reviews"
    if decision is None:
        if reason is not None:
            raise UsageError("--reason: expected `accept SUBMISSION` or `withdraw SUBMISSION` before it")
        listed = list(islice(list_pages(site.http, path, "reviews", {}), limit))
        site.show(listed, lambda: _print_reviews(listed, str(site.http.base_url)))
        return
    if submission is None:
        raise UsageError(f"{decision}: expected the id of a submission, as `laurel reviews {benchmark}` lists it")
    if decision is Decision.WITHDRAW and reason is None:
        raise UsageError("--reason: expected the reason of the withdrawal, which is shown to everybody")
    answer = post(site.http, f"{path}/{submission}", {"decision": decision.value, "reason": reason})
    if decision is Decision.ACCEPT:
        site.show(answer, f"accepted {submission}: the boards show it in a moment")
    else:
        site.show(answer, f"withdrawn {submission}: it counts on no board")


def _print_reviews(listed: Sequence[dict[str, Any]], site: str) -> None:
    if not listed:
        make_console().print("nothing waits")
        return
    console = make_console()
    for review in listed:
        scores = ", ".join(f"{plain(name)} {show_number(value)}" for name, value in review["scores"].items())
        moment = review["submitted_at"][:19].replace("T", " ")
        console.print(f"[bold yellow]in review[/] {review['submission']} by {plain(review['name'])}, {moment} UTC")
        console.print(f"    {scores}")
        console.print(f"    [dim]{site.rstrip('/')}{review['page_url']}[/]")


@asks_site("token")
def ban(
    site: SiteClient,
    benchmark: BenchmarkId,
    player: Annotated[str | None, typer.Argument(help="The player's id, as in the address of its page.")] = None,
    name: Annotated[str | None, typer.Option(help="A guest's name instead: it and all that look like it.")] = None,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to everybody: 1-300 characters.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Lift the ban: the rows come back.")] = False,
) -> None:
    """Ban a player or a name from a benchmark, lift a ban, or list the bans."""
    path = f"{benchmark_url(benchmark)}/{_choose_path(player, name, reason, undo=undo)}"
    if path.endswith("/bans"):
        answer = get(site.http, path)
    else:
        answer = post(site.http, path, {"player": player, "name": name, "reason": reason})
    site.show(answer, lambda: _print_bans(answer))


def _print_bans(answer: Mapping[str, Any]) -> None:
    """Print the bans of a benchmark, or the one that just changed."""
    console = make_console()
    bans: list[Mapping[str, Any]] = answer.get("bans", [answer])
    for shown in bans:
        state = "no longer banned" if shown["lifted_at"] else "banned"
        subject = plain(shown["player"] or f"the name {shown['name']!r}")
        since = format_moment(shown["lifted_at"] or shown["at"])
        console.print(f"{subject} is {state} since {since}: {plain(shown['reason'])}")
    if "bans" not in answer:
        console.print("[dim]Results and boards follow within seconds.[/]")
    elif not bans:
        console.print("nobody is banned")


@asks_site("token")
def archive(
    site: SiteClient,
    benchmark: BenchmarkId,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to everybody: 1-300 characters.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Bring it back as it was.")] = False,
) -> None:
    """Hide a benchmark and make it read-only, or bring it back.

    It leaves the list of boards, its board stays at its address, and new results are rejected. Nothing is deleted.
    """
    if undo and reason is not None:
        raise UsageError("--reason: expected none beside --undo")
    path = f"{benchmark_url(benchmark)}/archive{'/undo' if undo else ''}"
    answer = post(site.http, path, None if undo else {"reason": reason})
    mark, state = answer["archived"], "not archived"
    if mark is not None:
        why = f": {plain(mark['reason'])}" if mark["reason"] else ""
        state = f"archived since {format_moment(mark['at'])}{why}"
    follows = "[dim]Its board, the list of boards and new results follow within seconds.[/]"
    site.show(answer, f"[bold]{benchmark}[/] is {state}\n{follows}")


@asks_site("token")
def delete(
    site: SiteClient,
    benchmark: BenchmarkId,
    confirm: Annotated[str, typer.Option(help="The id once more: nothing brings it back.")],
) -> None:
    """Delete an archived benchmark to which nobody has submitted."""
    answer = post(site.http, f"{benchmark_url(benchmark)}/deletion", {"confirm": confirm})
    site.show(answer, f"[bold]{benchmark}[/] is being deleted")


def _choose_path(player: str | None, name: str | None, reason: str | None, *, undo: bool) -> str:
    """Return the last part of the path that does what is asked for. Raises UsageError."""
    if player is None and name is None:
        if reason is not None or undo:
            raise UsageError("expected a player's id, or --name")
        return "bans"
    if player is not None and name is not None:
        raise UsageError("expected a player's id or --name, found both")
    if undo:
        if reason is not None:
            raise UsageError("--reason: expected none beside --undo")
        return "unban"
    if reason is None:
        raise UsageError("--reason: expected the reason, which is shown to everybody")
    return "ban"
