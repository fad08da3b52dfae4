"""`laurel withdraw`, `laurel errors`, `laurel audit`: for players, owners and operators."""

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cli import api, display, owners
from cli.options import AsJson, BenchmarkId, Host, Receipt, StackName, Token

app = typer.Typer()


class Failure(StrEnum):
    """What an error can be."""

    INVALID = "invalid"
    EVALUATOR_ERROR = "evaluator_error"
    INTERNAL_ERROR = "internal_error"


@app.command()
def withdraw(
    benchmark: BenchmarkId,
    submission: Annotated[str, typer.Argument(help="The submission's id.")],
    reason: Annotated[str, typer.Option(help="Why, for all to read: one line of 1-300 characters.")],
    token: Token = None,
    receipt: Receipt = None,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Take a submission off the board for good; it stays in the record."""
    with api.connect(host, benchmark=benchmark, token=receipt or token) as client:
        standing = owners.withdraw(client, benchmark, submission, reason=reason)
    if json:
        display.print_json(standing)
        return
    when, reason = standing["at"][:16].replace("T", " "), display.plain(standing["reason"])
    Console(highlight=False, soft_wrap=True).print(f"withdrawn at {when} UTC ({standing['by']}): {reason}")


@app.command()
def errors(
    benchmark: BenchmarkId,
    outcome: Annotated[Failure | None, typer.Option(help="Only these; without it all.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many, the newest first.")] = 20,
    token: Token = None,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """List what was not scored and why, with what the script printed; needs a token of an owner."""
    with api.connect(host, benchmark=benchmark, token=token) as client:
        found = list(owners.list_errors(client, benchmark, outcome=outcome, limit=limit))
    if json:
        display.print_json(found)
        return
    console = Console(highlight=False, soft_wrap=True)
    for one in found:
        console.print(_describe_error(one))
    _print_summary(found)


@app.command()
def audit(
    benchmark: Annotated[str | None, typer.Option(help="Only of this benchmark; without it all.")] = None,
    since: Annotated[
        str | None, typer.Option(help="12h, 7d, 2w or a date, in UTC; without it all.", metavar="WHEN")
    ] = None,
    stack: StackName = None,
    json: AsJson = False,
) -> None:
    """List who published, rescored, withdrew, made or revoked tokens; needs the rights of the administrator."""
    lines = owners.list_lines(owners.open_trail(stack), benchmark=benchmark, since=since)
    if json:
        display.print_json([line.model_dump(mode="json") for line in lines])
        return
    table = Table("at (UTC)", "who", "role", "did", "benchmark", "to", "detail", box=None)
    for line in lines:
        detail = ", ".join(f"{name}: {value}" for name, value in line.detail.items())
        texts = (line.actor.id, line.actor.role, line.action, line.benchmark or "–", line.subject or "–", detail)
        table.add_row(f"{line.at:%F %T}", *map(display.plain, texts))
    Console(highlight=False, width=display.fit_width(table)).print(table if lines else "nothing is on record")


def _describe_error(one: dict[str, Any]) -> str:
    """Give the paragraph that people read of one error."""
    where = f" (at {display.plain(one['pointer'])})" if one["pointer"] else ""
    who, when = display.plain(one["name"]), one["submitted_at"][:19].replace("T", " ")
    head = f"[bold {display.COLOURS[one['outcome']]}]{one['outcome']}[/] {one['submission']} by {who}"
    lines = [f"{head}, {when}, version {one['version'][:12]}", f"    {display.plain(one['message'])}{where}"]
    output = one["output"] or {}
    if output.get("ended"):
        lines.append(f"    [dim]the script {display.plain(output['ended'])}[/]")
    printed = {name: output.get(name) or "" for name in ("stdout", "stderr")}
    for name in () if display.repeats(one["message"], **printed) else printed:
        if printed[name]:
            lines += [f"    [dim]{name}:[/]", *(f"      {line}" for line in display.plain(printed[name]).splitlines())]
    return "\n".join(lines)


def _print_summary(found: list[dict[str, Any]]) -> None:
    table = Table("outcome", "count", "players", box=None)
    for outcome in Failure:
        mine = [one for one in found if one["outcome"] == outcome]
        if mine:
            table.add_row(outcome.value, str(len(mine)), str(len({one["player"] for one in mine})))
    Console(highlight=False).print(table if found else "no errors")
