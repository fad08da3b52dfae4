"""`laurel export`, `laurel verify` and `laurel import`: a benchmark as a folder, and another stack that goes on."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from cli.boards.first_rows import explaining_contents
from cli.client import SiteClient, asks_site
from cli.console import AsJson, BenchmarkId, SandboxChoice, plain, print_note, show
from cli.exit_codes import CommandError, choose_exit_code
from cli.exports.folder import ExportFolder, find_faults, read_manifest
from cli.exports.moving import list_pages, load_moved, make_links, read_page, send_page, write_pages
from cli.exports.public import PublicExport
from cli.exports.site import FOLDER as SITE
from cli.progress import operate, show_progress

TIMEOUT_SECONDS = 60.0


@asks_site("owner")
def export(
    site: SiteClient,
    benchmark: BenchmarkId,
    folder: Annotated[Path, typer.Argument(help="A new folder, or one of an earlier export.", metavar="FOLDER")],
    *,
    results: Annotated[bool, typer.Option("--results", help="Also the raw results that your token may read.")] = False,
    move: Annotated[
        bool, typer.Option("--move", help="Also, in private, all with which another stack goes on, for `import`.")
    ] = False,
) -> None:
    """Write all that is public of a benchmark into a folder, with hashes.

    An export that was interrupted goes on when the command is repeated.
    """
    if move:
        os.umask(0o077)
        print_note(f"{folder} will hold the ground truth and addresses: keep it to yourself")
    address = str(site.http.base_url).rstrip("/")
    target = ExportFolder(folder, benchmark, address)
    folder.chmod(0o700 if move else folder.stat().st_mode)
    with httpx.Client(base_url=address, timeout=TIMEOUT_SECONDS) as stranger, show_progress() as progress:
        public = PublicExport(benchmark, stranger, site.http, target, progress)
        submissions, is_settled = public.write(partial(write_pages, site.http, target) if move else lambda _: None)
        if results or move:
            public.write_results(submissions)
        if site.token is not None:
            public.write_audit()
    if move and not is_settled:
        raise CommandError(f"{benchmark} changed meanwhile: export it again, or archive it before")
    manifest = target.finish()
    if not (folder / SITE).is_dir():
        print_note(f"{address} serves no pages: nothing in {folder} shows what is there")
    if not is_settled:
        print_note("the board changed meanwhile: records may be there that it lacks; export again")
    shown = plain(str(folder))
    site.show(
        {name: value for name, value in manifest.items() if name != "files"},
        f"[bold]{benchmark}[/] version {manifest['version']}: {len(submissions)} submissions, "
        f"{len(manifest['files'])} files in {shown}\nTo check them: [bold]laurel verify {shown}[/]",
    )


def verify(
    folder: Annotated[Path, typer.Argument(help="What `laurel export` wrote.", metavar="FOLDER")],
    truth: Annotated[
        Path | None, typer.Argument(help="The benchmark's folder, if its truth is public or yours.", metavar="[TRUTH]")
    ] = None,
    *,
    sandbox: SandboxChoice = "bubblewrap",
    json: AsJson = False,
) -> None:
    """Check an export: its hashes, and where the truth is there scores and ranks.

    A score that is made again may differ by a billionth of it, but not as it is shown. No site is asked.
    """
    from cli.commands.benchmarks.scoring import open_sandbox  # noqa: PLC0415  # other commands start without scorers
    from cli.exports.verifying import Verification  # noqa: PLC0415  # as above
    from scoring_core.benchmarks.loading import load_folder  # noqa: PLC0415  # as above

    checked = Verification(folder)
    benchmark = None
    checked.faults += find_faults(folder, checked.manifest)
    is_whole = not checked.faults
    if truth is not None or list_pages(folder):
        benchmark = load_folder(truth) if truth else load_moved(folder, checked.manifest["version"])
    if benchmark is not None and is_whole:
        with (
            open_sandbox(sandbox, needed=benchmark.definition.runs_script) as opened,
            explaining_contents(str(folder)),
        ):
            checked.check_scores(benchmark, opened)
    if is_whole:
        with explaining_contents(str(folder)):
            checked.check_copies()
    counts = {"faults": checked.faults, "scored_again": checked.scored, "close": checked.close, "left": checked.left}
    counts["taken_over"] = checked.believed
    again = f"{checked.scored} submissions scored again, {checked.close} numbers of them differ by a billionth or less"
    again += f"; {checked.believed} rows of an earlier board are believed" if checked.believed else ""
    left = f"; of {checked.left} no result is there" if checked.left else ""
    what = "hashes only, for no truth is here" if benchmark is None else f"{again}{left}"
    number = f"{len(checked.faults)} fault{'s' * (len(checked.faults) != 1)}"
    summary = f"{len(checked.manifest.get('files', ()))} files, {number}: {what}"
    show(counts, "\n".join([*(f"[red]✗[/] {plain(fault)}" for fault in checked.faults), summary]), json=json)
    raise typer.Exit(choose_exit_code(failed=bool(checked.faults)))


@asks_site("admin")
def import_(
    site: SiteClient,
    folder: Annotated[Path, typer.Argument(help="What `laurel export` wrote.", metavar="FOLDER")],
) -> None:
    """Go on here with a benchmark that `laurel export --move` wrote.

    Of an export without that the rows are taken over, into an archived benchmark that says where they come from.

    Its players get one link each for a new token, by mail where there is an address. An import that was interrupted
    goes on when the command is repeated.
    """
    manifest = read_manifest(folder)
    if fault := next(find_faults(folder, manifest), None):
        raise CommandError(f"{folder}: {fault}")
    pages, benchmark = list_pages(folder), str(manifest["benchmark"])
    if not pages:
        import_rows(site, folder, manifest)
        return
    is_new = send_page(site.http, benchmark, pages[0].read_bytes()) is not None
    rows = send_rest(site, benchmark, pages[1:]) if is_new else None
    links, failed, is_archived = list[dict[str, Any]](), list[str](), "archived" in read_page(pages[-1])["pointer"]
    if is_archived:
        print_note(f"no links, for {benchmark} is archived; `laurel invite {benchmark} --player ID` makes one later")
    else:
        links, failed = make_links(site.http, folder, benchmark, is_new=is_new)
    report = {"benchmark": benchmark, "version": manifest["version"], "rows": rows, "links": links, "failed": failed}
    lines = [
        f"{plain(each['name'])}: {each['site']}{each['path']}{' (mailed)' if each['mail'] else ''}" for each in links
    ]
    done = "is here already, all of it" if rows is None else f"version {manifest['version']}, {rows} rows"
    site.show(report, "\n".join([f"[bold]{benchmark}[/] {done}", *lines]))
    if failed:
        raise CommandError("\n".join(["no links, until the command is repeated, for", *failed]))


def send_rest(site: SiteClient, benchmark: str, pages: Sequence[Path]) -> int:
    """Send all pages but the first; return how many rows there are. Raises ApiError."""
    with show_progress() as progress:
        for page in progress.track(pages[:-1], description="pages"):
            send_page(site.http, benchmark, page.read_bytes())
    after: str | None = ""
    rows = 0
    while after is not None:
        rebuilt = operate(site.http, {"operation": "rebuild", "benchmark": benchmark, "after": after})
        after, rows = rebuilt["next"], rebuilt["rows"]
    send_page(site.http, benchmark, pages[-1].read_bytes())
    return rows


def import_rows(site: SiteClient, folder: Path, manifest: Mapping[str, Any]) -> None:
    """Make a benchmark of a public export that is only read. Raises ApiError."""
    from cli.commands.benchmarks.publishing import publish_bundle  # noqa: PLC0415  # as above
    from cli.exports.copying import describe_source, make_copy, send_rows  # noqa: PLC0415  # as above

    source = describe_source(manifest)
    view = publish_bundle(site.http, make_copy(folder, source))
    if view["status"] != "published":
        raise CommandError(f"{manifest['benchmark']} was not published: {view['detail']}")
    rows = send_rows(site.http, folder, str(manifest["benchmark"]), source)
    site.show({"rows": rows, "source": source}, f"[bold]{manifest['benchmark']}[/]: {rows} rows, {plain(source)}")
