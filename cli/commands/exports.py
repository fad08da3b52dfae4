"""`laurel export` and `laurel verify`: a benchmark as a folder that needs no Laurel, and whether it is sound."""

from pathlib import Path
from typing import Annotated

import httpx
import typer

from cli.boards.first_rows import explaining_contents
from cli.client import SiteClient, asks_site
from cli.console import AsJson, BenchmarkId, SandboxChoice, plain, print_note, show
from cli.exit_codes import choose_exit_code
from cli.exports.folder import ExportFolder, find_faults
from cli.exports.public import PublicExport
from cli.progress import show_progress

TIMEOUT_SECONDS = 60.0


@asks_site("owner")
def export(
    site: SiteClient,
    benchmark: BenchmarkId,
    folder: Annotated[Path, typer.Argument(help="A new folder, or one of an earlier export.", metavar="FOLDER")],
    *,
    results: Annotated[bool, typer.Option("--results", help="Also the raw results that your token may read.")] = False,
) -> None:
    """Write all that is public of a benchmark into a folder, with hashes.

    An export that was interrupted goes on when the command is repeated.
    """
    address = str(site.http.base_url).rstrip("/")
    target = ExportFolder(folder, benchmark, address)
    with httpx.Client(base_url=address, timeout=TIMEOUT_SECONDS) as stranger, show_progress() as progress:
        public = PublicExport(benchmark, stranger, site.http, target, progress)
        submissions, is_settled = public.write()
        if results:
            public.write_results(submissions)
        if site.token is not None:
            public.write_audit()
    manifest = target.finish()
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
    checked.faults += find_faults(folder, checked.manifest)
    if truth is not None and not checked.faults:
        benchmark = load_folder(truth)
        with (
            open_sandbox(sandbox, needed=benchmark.definition.runs_script) as opened,
            explaining_contents(str(folder)),
        ):
            checked.check_scores(benchmark, opened)
    counts = {"faults": checked.faults, "scored_again": checked.scored, "close": checked.close, "left": checked.left}
    again = f"{checked.scored} submissions scored again, {checked.close} numbers of them differ by a billionth or less"
    left = f"; of {checked.left} no result is there" if checked.left else ""
    what = "hashes only, for no truth is here" if truth is None else f"{again}{left}"
    summary = f"{len(checked.manifest.get('files', ()))} files, {len(checked.faults)} faults: {what}"
    show(counts, "\n".join([*(f"[red]✗[/] {plain(fault)}" for fault in checked.faults), summary]), json=json)
    raise typer.Exit(choose_exit_code(failed=bool(checked.faults)))
