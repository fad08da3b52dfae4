"""What the commands show: tables and sentences for people, JSON for programs. No text of a player is ever markup."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from cli.api import SubmittedFile
from cli.comparison import Change
from cli.drops import BatchResult
from cli.home import CheckReport, LocalScore
from cli.publishing import PublishReport
from cli.rebuilding import RebuildReport
from cli.rescoring import RescorePlan, RescoreReport
from scoring_core.io.text import is_harmful

COLOURS = {"scored": "green", "invalid": "yellow", "evaluator_error": "red", "internal_error": "red"}
MAX_WIDTH = 1000
_ARROWS = {"higher": "↑", "lower": "↓"}


def print_json(value: object) -> None:
    """Print JSON, at full precision."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def plain(text: str) -> str:
    """Give a text that shows as it is: no markup, and no control character that a terminal would obey."""
    return escape("".join("�" if is_harmful(character) and character != "\n" else character for character in text))


def print_verdict(verdict: LocalScore) -> None:
    """Print what a result got at home."""
    judgement = verdict.judgement
    console = _console()
    console.print(f"[bold {COLOURS[judgement.outcome]}]{judgement.outcome}[/]")
    if judgement.message:
        where = f" (at {plain(judgement.pointer)})" if judgement.pointer else ""
        console.print(f"{plain(judgement.message)}{where}")
    if judgement.output and not repeats(judgement.message, judgement.output.stdout, judgement.output.stderr):
        for name, text in (("stdout", judgement.output.stdout), ("stderr", judgement.output.stderr)):
            if text:
                console.print(f"[dim]{name}:[/]\n{plain(text)}")
    if judgement.scores:
        console.print(_score_table(judgement.scores))
    if len(judgement.evaluations) > 1:
        console.print(_parts_table([(one.part or "", one.scores) for one in judgement.evaluations]))
    if verdict.signature:
        console.print(f"[dim]{plain(verdict.signature)}[/]")


def repeats(message: str, stdout: str, stderr: str) -> bool:
    """Tell whether a message says already all that the script printed."""
    return message == "\n".join(text.strip() for text in (stdout, stderr) if text.strip())


def print_check(report: CheckReport) -> None:
    """Print how a benchmark's examples did."""
    console = _console()
    definition = report.benchmark.definition
    about = f"{definition.id} · {definition.scorer} · {report.benchmark.version}"
    console.print(f"[bold]{plain(definition.title)}[/] {about}")
    for one in report.checks:
        mark = "[red]✗[/]" if one.differences else "[green]✓[/]"
        console.print(f"{mark} {plain(one.name)} [dim]{one.judgement.outcome}[/]")
        for difference in one.differences:
            console.print(f"    {plain(difference)}")
    failed = sum(bool(one.differences) for one in report.checks)
    if not report.checks:
        console.print("no examples: put results into examples/ and what they must get into examples/expected.yaml")
    else:
        total = len(report.checks)
        console.print(f"{failed} of {total} examples failed" if failed else f"all {total} examples as expected")


def print_published(report: PublishReport) -> None:
    """Print what publishing did."""
    console = _console()
    name = f"[bold]{report.benchmark}[/]"
    if not report.changed:
        console.print(f"{name} is published already, version {report.next or report.version}")
    elif report.next is None:
        console.print(f"{name} published, version {report.version}")
    else:
        console.print(f"{name} published, version {report.next} is next")
    if report.changes:
        console.print(f"changed: {plain(', '.join(report.changes))}")
    if report.next is not None:
        console.print(
            f"The board still shows version {report.version}. "
            f"To score all results anew and then show version {report.next}:\n"
            f"  [bold]laurel rescore {report.benchmark}[/]"
        )


def print_rescore_plan(plan: RescorePlan) -> None:
    """Print what a rescore would do."""
    console = _console()
    if plan.next is None:
        console.print(f"[bold]{plan.benchmark}[/] version {plan.version} is current and no other is published")
        return
    console.print(f"[bold]{plan.benchmark}[/] version {plan.version} → {plan.next}")
    console.print(f"changed: {plain(', '.join(plan.changes))}")
    console.print(f"{plan.lacking} of {plan.results} results would be scored; the others are scored already")


def print_rescored(report: RescoreReport) -> None:
    """Print what a rescore did to the board."""
    console = _console()
    changed = [one for one in report.changes if one.is_change]
    console.print(
        f"[bold]{report.benchmark}[/] version {report.before} → {report.version}, {report.results} results scored"
    )
    _print_changes(changed, report.column)
    console.print(f"{len(changed)} of {len(report.changes)} players changed")


def print_rebuilt(report: RebuildReport) -> None:
    """Print what a rebuild did to the board, or would do."""
    console = _console()
    console.print(f"[bold]{report.benchmark}[/] version {report.version}, {report.players} players")
    _print_changes(report.changes, report.column)
    verb = "changed" if report.written else "would change"
    console.print(f"{len(report.changes) or 'nothing'} {verb}")


def print_swept(queued: Mapping[str, int], *, failed: bool) -> None:
    """Print which results were queued again."""
    console = _console()
    what = "that ended as internal_error" if failed else "without an outcome"
    for benchmark, number in queued.items():
        console.print(f"[bold]{benchmark}[/]: {number} results {what} are queued again")
    if not queued:
        console.print(f"no results {what}")


def _print_changes(changes: Sequence[Change], column: str) -> None:
    if not changes:
        return
    table = Table("player", box=None)
    table.add_column("rank", justify="right")
    table.add_column(plain(column), justify="right")
    for one in changes:
        ranks = f"{one.rank_before or '–'} → {one.rank_after or '–'}"
        values = f"{_number(one.value_before, None)} → {_number(one.value_after, None)}"
        table.add_row(plain(one.name), f"{ranks} {_arrow(one)}", values)
    _print_wide(table)


def _arrow(change: Change) -> str:
    if change.rank_before is None or change.rank_after is None or change.rank_before == change.rank_after:
        return " "
    return "[green]↑[/]" if change.rank_after < change.rank_before else "[red]↓[/]"


def print_submitted(outcomes: Sequence[SubmittedFile]) -> None:
    """Print what became of each file."""
    console = _console()
    for one in outcomes:
        if one.accepted is None:
            console.print(f"[red]✗[/] {plain(str(one.file))}: {plain(str(one.problem['detail']))}")
        elif one.status is None:
            mark, problem = "[green]✓[/]", ""
            if one.problem:
                mark, problem = "[red]✗[/]", f", {plain(one.problem['detail'])}"
            console.print(f"{mark} {plain(str(one.file))}: queued as {one.accepted['submission']}{problem}")
            console.print(f"    [dim]receipt {one.accepted['receipt']}[/]")
        else:
            console.print(f"{'[green]✓' if one.is_well else '[red]✗'}[/] {plain(str(one.file))}")
            print_status(one.status)


def print_dropped(report: BatchResult) -> None:
    """Print what was handed in, and what became of it."""
    console = _console()
    if report.skipped:
        console.print(f"{report.skipped} handed in before, skipped (--again hands them in again)")
    for one in report.parcels:
        if one.upload is None:
            console.print(f"[red]✗[/] {plain(one.parcel.name)}: {plain(one.problem)}")
            continue
        console.print(f"[green]✓[/] {plain(one.parcel.name)}: upload {one.upload}")
        if one.status is not None:
            if one.status["status"] != "done":
                console.print(f"    [yellow]{one.status['status']}[/]: {one.status['queued']} not scored yet")
            told = ("scored", "invalid", "refused", "evaluator_error", "internal_error")
            console.print("    " + " · ".join(f"{one.status[name]} {name}" for name in told if one.status[name]))
            for failure in one.status["failures"]:
                console.print(
                    f"    [yellow]{failure['status']}[/] {plain(failure['entry'])}: {plain(failure['message'])}"
                )


def print_status(status: Mapping[str, Any]) -> None:
    """Print what became of a submission."""
    console = _console()
    outcome = status["outcome"] or status["status"]
    who = f"{status['submission']} by {plain(status['name'])}"
    console.print(f"[bold {COLOURS.get(outcome, 'cyan')}]{outcome}[/] {who}")
    if status.get("rank"):
        console.print(f"rank {status['rank']} of {status['players']}")
    if status.get("message"):
        where = f" (at {plain(status['pointer'])})" if status.get("pointer") else ""
        console.print(f"{plain(status['message'])}{where}")
    if status.get("scores"):
        console.print(_score_table(status["scores"]))
    if len(status.get("parts") or ()) > 1:
        console.print(_parts_table([(one["part"], one["scores"]) for one in status["parts"]]))


def print_board(head: Mapping[str, Any], top: int) -> None:
    """Print the first rows of a board."""
    console = _console()
    table = Table(title=plain(head["title"]), caption=plain(head["rank_rule"]))
    table.add_column("rank", justify="right")
    table.add_column("player")
    for metric in head["metrics"]:
        unit = f" {metric['unit']}" if metric["unit"] else ""
        table.add_column(plain(f"{metric['label']}{unit} {_ARROWS[metric['direction']]}"), justify="right")
    table.add_column("submissions", justify="right")
    rows = head["rows"]
    for index in range(min(top, len(rows["player"]))):
        scores = [_number(rows["scores"][metric["id"]][index], metric["decimals"]) for metric in head["metrics"]]
        tags = [rows["kind"][index], *([] if rows["verified"][index] else ["guest"])]
        table.add_row(
            str(rows["rank"][index]),
            f"{plain(rows['name'][index])} [dim]{plain(' '.join(tags))}[/]",
            *scores,
            str(rows["submissions"][index]),
        )
    _print_wide(table)
    console.print(f"{min(top, head['total'])} of {head['total']} players")


def _print_wide(table: Table) -> None:
    Console(highlight=False, width=fit_width(table)).print(table)


def fit_width(table: Table) -> int:
    """Give the width of a table as it is: a terminal that is too narrow wraps the line, but no figure is cut."""
    wide = Console(width=MAX_WIDTH)
    return max(1, Measurement.get(wide, wide.options, table).maximum)


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)


def _score_table(scores: Mapping[str, int | float]) -> Table:
    table = Table(show_header=False, box=None)
    for name, value in scores.items():
        table.add_row(plain(name), repr(value))
    return table


def _parts_table(parts: Sequence[tuple[str, Mapping[str, int | float]]]) -> Table:
    names = list(dict.fromkeys(name for _, scores in parts for name in scores))
    table = Table("part", *map(plain, names), box=None)
    for part, scores in parts:
        table.add_row(plain(part), *(repr(scores[name]) if name in scores else "–" for name in names))
    return table


def _number(value: float | None, decimals: int | None) -> str:
    if value is None:
        return "–"
    return f"{value:.{decimals}f}" if decimals is not None else f"{value:g}"
