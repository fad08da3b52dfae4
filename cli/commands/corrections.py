"""`laurel rescore`, `laurel ban`, `laurel archive` and `laurel delete`, with an owner's token."""

import time
from collections.abc import Mapping
from typing import Annotated, Any

import httpx
import typer

from cli.client import NotFinished, PathNotFound, SiteClient, asks_site, get, post
from cli.commands.operations import print_changes
from cli.commands.reports import format_moment
from cli.console import BenchmarkId, make_console, plain
from cli.exit_codes import UsageError
from cli.progress import show_progress
from scoring_core.urls import benchmark_url, head_url

POLL_SECONDS = 2.0
Reason = Annotated[
    str | None, typer.Option(help="Why scores are corrected, shown to everybody: 1-300 characters.", show_default=False)
]
MAX_WAIT_SECONDS = 3600.0
"""The platform goes on every 10 minutes, and the results of other benchmarks come between."""


@asks_site("owner")
def rescore(site: SiteClient, benchmark: BenchmarkId, reason: Reason = None) -> None:
    """Score all results under the version published last, then make it current.

    The platform does it, and begins at once. Ctrl-C stops the waiting, not the rescore. Run the command again to wait
    again.

    The page of the benchmark then lists the correction, with its reason.
    """
    asked = post(site.http, f"{benchmark_url(benchmark)}/rescore", {"reason": reason} if reason else None)
    correction = follow_rescore(site.http, benchmark, asked["next"])
    report = {"benchmark": benchmark, **(correction or {"replaced": asked["version"], "version": asked["next"]})}
    site.show(report, lambda: _print_correction(report))


def follow_rescore(client: httpx.Client, benchmark: str, following: str) -> dict[str, Any] | None:
    """Wait until the board shows a version, and return its correction.

    That is None if nobody was on the board. Raises NotFinished.
    """
    until = time.monotonic() + MAX_WAIT_SECONDS
    with show_progress() as progress:
        progress.add_task("the platform scores all results again", total=None)
        while get(client, head_url(benchmark))["version"] != following:
            if time.monotonic() > until:
                raise NotFinished(
                    f"{benchmark}: version {following} is not current yet; it stays requested. Results that fail under "
                    f"it hold it back: see `laurel submissions {benchmark} --outcome failed`"
                )
            time.sleep(POLL_SECONDS)
    try:
        listed = get(client, f"/data/b/{benchmark}/corrections.json")["corrections"]
    except PathNotFound:
        return None
    return next((dict(each) for each in listed if each["version"] == following), None)


def _print_correction(report: Mapping[str, Any]) -> None:
    console = make_console()
    console.print(f"[bold]{report['benchmark']}[/] version {report['replaced']} → {report['version']}")
    if "listed" not in report:
        return
    listed = [
        {**each, "name": each["name"] if each["verified"] else f"{each['name']} (guest)"} for each in report["listed"]
    ]
    print_changes(listed, report["metric"]["label"])
    left = f", {report['left']} left the board" if report["left"] else ""
    console.print(f"{report['changed']} of {report['rows']} rows changed, {report['moved']} in rank{left}")


@asks_site("owner")
def ban(
    site: SiteClient,
    benchmark: BenchmarkId,
    player: Annotated[str | None, typer.Argument(help="The player's id, as in the address of its page.")] = None,
    name: Annotated[str | None, typer.Option(help="A guest's name instead: it and all that look like it.")] = None,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to everybody: 1-300 characters.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Lift the ban: the rows come back.")] = False,
) -> None:
    """Ban a player or a name from a benchmark, lift a ban, or list the bans."""
    if player is None and name is None:
        if reason is not None or undo:
            raise UsageError("expected a player's id, or --name")
        answer = get(site.http, f"{benchmark_url(benchmark)}/bans")
    elif player is not None and name is not None:
        raise UsageError("expected a player's id or --name, found both")
    elif undo == (reason is not None):
        raise UsageError("expected --reason, which is shown to everybody, or --undo")
    else:
        asked = {"player": player, "name": name, **({"undo": True} if undo else {"reason": reason})}
        answer = post(site.http, f"{benchmark_url(benchmark)}/ban", asked)
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


@asks_site("owner")
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
    asked = {"undo": True} if undo else {"reason": reason}
    answer = post(site.http, f"{benchmark_url(benchmark)}/archive", asked)
    mark, state = answer["archived"], "not archived"
    if mark is not None:
        why = f": {plain(mark['reason'])}" if mark["reason"] else ""
        state = f"archived since {format_moment(mark['at'])}{why}"
    follows = "[dim]Its board, the list of boards and new results follow within seconds.[/]"
    site.show(answer, f"[bold]{benchmark}[/] is {state}\n{follows}")


@asks_site("owner")
def delete(
    site: SiteClient,
    benchmark: BenchmarkId,
    confirm: Annotated[str, typer.Option(help="The id once more: nothing brings it back.")],
) -> None:
    """Delete an archived benchmark to which nobody has submitted."""
    answer = post(site.http, f"{benchmark_url(benchmark)}/deletion", {"confirm": confirm})
    site.show(answer, f"[bold]{benchmark}[/] is being deleted")
