"""`laurel publish`, `laurel rescore`, `laurel reveal`, `laurel archive` and `laurel delete`, with an owner's token."""

import itertools
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from urllib.parse import urljoin

import httpx
import typer

from cli.client import NotFinished, PathNotFound, SiteClient, asks_site, connect, get, make_error, post
from cli.commands.benchmarks.scoring import Folder, print_example, require_benchmark
from cli.commands.boards import print_changes
from cli.commands.submissions.listing import download_zips
from cli.console import (
    AsJson,
    BenchmarkId,
    Host,
    Token,
    format_moment,
    make_console,
    plain,
    print_json,
    print_note,
)
from cli.exit_codes import UsageError, choose_exit_code
from cli.progress import show_progress
from cli.salts import KEPT_ELSEWHERE, keep_salt
from cli.sites import find_admin_token, find_site
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.urls import benchmark_url, head_url

POLL_SECONDS = 1.0
MAX_WAIT_SECONDS = 1800.0
UPLOAD_TIMEOUT_SECONDS = 600.0
_ENDED = frozenset({"published", "refused", "conflict", "failed"})
RESCORE_POLL_SECONDS = 2.0
POLLS_A_LOOK = 15
Reason = Annotated[
    str | None,
    typer.Option(help="Why scores are corrected, or it closes later, shown to everybody.", show_default=False),
]
MAX_RESCORE_SECONDS = 3600.0
"""The platform goes on every 10 minutes, and the results of other benchmarks come between."""


def publish(
    benchmark: Folder, host: Host = None, token: Token = None, reason: Reason = None, json: AsJson = False
) -> None:
    """Check a benchmark's folder and publish it.

    The folder is uploaded, and the platform checks it in its own sandbox.

    A folder without a salt, which is part of the version, gets the one that it was published with.

    If results score differently than before, the board changes only after `laurel rescore`. The page of the benchmark
    then lists the correction, with its reason.
    """
    require_benchmark(benchmark)
    loaded = load_folder(benchmark)
    token = token or find_admin_token(find_site(host))
    if token is None:
        raise UsageError("LAUREL_TOKEN is not set: expected an owner's token; the administrator of the site makes one")
    with connect(host, token=token) as client:
        view = publish_bundle(client, loaded, reason)
    if view["status"] != "published":
        _end_refused(view, json=json)
    if view["salt"]:
        keep_salt(benchmark, view["salt"])
    elif loaded.needs_salt:
        print_note(KEPT_ELSEWHERE)
    report = {name: view[name] for name in ("benchmark", "version", "next", "changed", "changes", "players")}
    report |= {"before": view["replaced"], "publish_number": view["publish_number"]}
    if json:
        print_json(report)
        return
    _print_published(report)
    if loaded.definition.runs_own:
        tries = f"try `laurel check {benchmark}`, then `laurel work {benchmark}`"
        print_note(f"truth, program and examples stayed here: {tries}")
    if reason is not None and not report["next"] and "closes" not in report["changes"]:
        make_console().print("No result is scored again, so there is no correction to announce.")


def publish_bundle(client: httpx.Client, benchmark: Benchmark, reason: str | None = None) -> dict[str, Any]:
    """Upload a benchmark, wait for its check, and return how publishing ended.

    Raises ApiError if the site rejects the request, or the check does not end.
    """
    bundle = benchmark.withhold().pack()
    path = f"{benchmark_url(benchmark.definition.id)}/publications"
    with show_progress() as progress:
        task = progress.add_task("uploading", total=None)
        ticket = post(client, path, {"bytes": len(bundle)})
        url, fields = urljoin(str(client.base_url), ticket["url"]), ticket["fields"]
        files = {"file": (f"{benchmark.definition.id}.zip", bundle, fields["Content-Type"])}
        # Not with `client`: the form is signed, and S3 must not see the token.
        answer = httpx.post(url, data=fields, files=files, timeout=UPLOAD_TIMEOUT_SECONDS)
        if not answer.is_success:
            raise make_error(answer, "the upload to the store")
        progress.update(task, description="checking")
        body = {"replaces": ticket["replaces"], **({"reason": reason} if reason else {})}
        view = post(client, ticket["start_url"], body)
        until = time.monotonic() + MAX_WAIT_SECONDS
        while view["status"] not in _ENDED:
            if time.monotonic() > until:
                raise NotFinished(f"{ticket['status_url']}: the check did not end in time; publish again")
            time.sleep(POLL_SECONDS)
            view = get(client, ticket["status_url"])
    return view


def _end_refused(view: Mapping[str, Any], *, json: bool) -> None:
    """Print why nothing was published, and end the command."""
    is_our_fault = view["status"] == "failed"
    end = typer.Exit(choose_exit_code(failed=not is_our_fault, try_later=is_our_fault))
    if json:
        print_json(view)
        raise end
    console = make_console()
    console.print(f"[bold]{view['benchmark']}[/] was not published: {plain(view['detail'])}")
    for fault in view["faults"][1:]:
        console.print(plain(fault))
    for example in view["examples"]:
        if example["differences"]:
            print_example(console, example)
    raise end


def _print_published(report: Mapping[str, Any]) -> None:
    console = make_console()
    name = f"[bold]{report['benchmark']}[/]"
    if not report["changed"]:
        console.print(f"{name} is published already, version {report['next'] or report['version']}")
    elif report["next"] is None:
        console.print(f"{name} published, version {report['version']}")
    else:
        console.print(f"{name} published, version {report['next']} is next")
    if report["changes"]:
        console.print(f"changed: {plain(', '.join(report['changes']))}")
    if report["next"] is not None:
        console.print(
            f"The board still shows version {report['version']}. "
            f"To score all results again and then show version {report['next']}:\n"
            f"  [bold]laurel rescore {report['benchmark']}[/]"
        )


@asks_site("owner")
def rescore(site: SiteClient, benchmark: BenchmarkId, reason: Reason = None) -> None:
    """Score all results under the version published last, then make it current.

    The platform does it, and begins at once. Ctrl-C stops the waiting, not the rescore. Run the command again to wait
    again.

    The page of the benchmark then lists the correction, with its reason.
    """
    asked = post(site.http, f"{benchmark_url(benchmark)}/rescore", {"reason": reason} if reason else None)
    _follow(site, benchmark, asked)


def _follow(
    site: SiteClient, benchmark: str, asked: Mapping[str, Any], look: Callable[[], object] = lambda: None
) -> None:
    """Wait until the board shows what was asked for, and show who moved.

    Now and then it calls `look`, which may raise. Raises NotFinished.
    """
    following = asked["next"]
    until = time.monotonic() + MAX_RESCORE_SECONDS
    with show_progress() as progress:
        progress.add_task("the platform, or your `laurel work`, scores all results again", total=None)
        for number in itertools.count(1):
            if get(site.http, head_url(benchmark))["version"] == following:
                break
            if number % POLLS_A_LOOK == 0:
                look()
            if time.monotonic() > until:
                raise NotFinished(
                    f"{benchmark}: version {following} is not current yet; it stays requested. Results that fail under "
                    f"it hold it back: see `laurel submissions {benchmark} --outcome failed`"
                )
            time.sleep(RESCORE_POLL_SECONDS)
    try:
        listed = get(site.http, f"/data/b/{benchmark}/corrections.json")["corrections"]
    except PathNotFound:
        listed = []
    correction = next((each for each in listed if each["version"] == following), None)
    report = {"benchmark": benchmark, **(correction or {"replaced": asked["version"], "version": following})}
    site.show(report, lambda: _print_correction(report))


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


@asks_site("owner")
def reveal(
    site: SiteClient,
    benchmark: BenchmarkId,
    folder: Annotated[Path | None, typer.Argument(help="The benchmark's folder, for --check.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Score all results on this machine, print the final, and change nothing.")
    ] = False,
    without_failed: Annotated[
        bool, typer.Option("--without-failed", help="Leave out the results that failed by no fault of their players.")
    ] = False,
) -> None:
    """Rank a benchmark that has closed by its hidden rows: the final.

    The platform scores all results that came in time by both sets of rows, and then switches the board. Ctrl-C stops
    the waiting, not the final.
    """
    if check is (folder is None):
        raise UsageError("--check: expected the benchmark's folder with it, and no folder without it")
    if folder is not None:
        from cli.boards.finals import list_final, read_results  # noqa: PLC0415  # other commands start without scorers
        from sandbox.bubblewrap import Sandbox  # noqa: PLC0415  # as above
        from sandbox.runtimes import hash_locks  # noqa: PLC0415  # as above

        require_benchmark(folder)
        loaded = load_folder(folder).pin_runtime(hash_locks())
        if loaded.definition.final is None:
            raise UsageError(f"{folder}: expected `final` in benchmark.yaml, and hidden rows")
        with TemporaryDirectory() as temporary, Sandbox() as sandbox:
            files = download_zips(site.http, benchmark, Path(temporary))
            bans = get(site.http, f"{benchmark_url(benchmark)}/bans")["bans"]
            rows = list_final(loaded, read_results(files, bans), sandbox)
        site.show(rows, partial(print_changes, rows, loaded.definition.ranking.by[0]))
        return
    path = f"{benchmark_url(benchmark)}/reveal"
    asked = post(site.http, path, {"without_failed": without_failed})
    if asked["next"] is None:
        site.show(asked, f"[bold]{benchmark}[/] shows its final already, version {asked['version']}")
        return

    def look() -> None:
        if (waits := post(site.http, path, {})["waits"]) is not None:
            raise NotFinished(waits)

    _follow(site, benchmark, asked, look)
