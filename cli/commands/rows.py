"""`laurel rows import`: takes over the rows of an earlier board."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cli.boards.old_rows import read_rows
from cli.client import ApiError, SiteClient, asks_site, get, list_pages, post
from cli.console import BenchmarkId, PlayerKindName, plain
from cli.exit_codes import CommandError, UsageError
from cli.progress import wait_until_done
from scoring_core.metrics.score_type import MetricType
from scoring_core.outcome import is_taken_over
from scoring_core.urls import benchmark_url

_REASON = "replaced by a later import of rows"
_UNDONE = "another row of the import was rejected"


@asks_site("owner")
def rows(
    site: SiteClient,
    _: Annotated[Literal["import"], typer.Argument(help="What to do.", metavar="import")],
    benchmark: BenchmarkId,
    file: Annotated[Path, typer.Argument(help="CSV, TSV, JSON, Markdown or HTML.", exists=True, dir_okay=False)],
    *,
    column: Annotated[
        list[str] | None, typer.Option(help="What a column has: `Acc (%)=accuracy`; repeatable.", metavar="TITLE=…")
    ] = None,
    table: Annotated[int | None, typer.Option(min=1, help="Which table of a page, from 1.")] = None,
    date: Annotated[str, typer.Option(help="The day of rows without one: 2024-05-31.")] = "",
    kind: Annotated[PlayerKindName, typer.Option(help="Whether the players are models or humans.")] = "model",
) -> None:
    """Take over the rows of an earlier board; those of an earlier import leave.

    A row counts as it is, of all parts together, and is marked. Nothing changes if one does not fit.
    """
    path = benchmark_url(benchmark)
    published = get(site.http, path)
    metrics = {each["name"]: MetricType.model_validate(each) for each in published["headers"]}
    renamed = dict(each.rpartition("=")[::2] for each in column or ())
    primary = published["ranking"]["by"][0]
    read, notes = read_rows(file.read_bytes(), metrics, primary=primary, renamed=renamed, number=table, date=date)
    several = [name for name, count in Counter(row.name.casefold() for row in read).items() if count > 1]
    if several and published["ranking"]["keep"] in {"sum", "mean"}:
        raise UsageError(f"expected one row of each player, for this board adds them up; found {several[0]!r} twice")
    taken: list[dict[str, Any]] = []
    for row in read:
        query = {"player": row.name, "kind": kind, "taken_over": row.date}
        body = {"scores": row.scores, "link": row.link, "note": row.note}
        try:
            taken.append(post(site.http, f"{path}/submissions", body, query=query))
        except ApiError as error:
            for each in taken:
                if not each["repeated"]:
                    post(site.http, f"{path}/submissions/{each['submission']}/withdrawal", {"reason": _UNDONE})
            raise CommandError(f"{row.name}: {error}; so none of these rows was taken over") from error
    wait_until_done(site.http, taken)
    kept = {each["submission"] for each in taken}
    stored = list_pages(site.http, f"{path}/submissions", "submissions", {"limit": "1000"})
    changed = [
        each
        for each in stored
        if is_taken_over(each["submission"]) and (each["submission"] in kept) == bool(each["withdrawn"])
    ]
    for each in changed:
        wish = {"undo": True} if each["withdrawn"] else {"reason": _REASON}
        post(site.http, f"{path}/submissions/{each['submission']}/withdrawal", wish)
    left = [each["submission"] for each in changed if not each["withdrawn"]]
    as_before = sum(each["repeated"] for each in taken)
    summary = f"{len(kept)} rows, {as_before} of them as before; {len(left)} of an earlier import left"
    claim = f"a player claims its rows by a link: laurel invite {benchmark} --player ID"
    site.show({"rows": taken, "left": left, "notes": notes}, "\n".join(map(plain, [summary, *notes, claim])))
