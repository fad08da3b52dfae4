"""`laurel submit`, `status`, `withdraw`, `accept` and `sweep`."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from cli.client import (
    TRANSIENT,
    ApiError,
    PathNotFound,
    SiteClient,
    asks_site,
    get,
    leave_out,
    list_pages,
    make_error,
    post,
    read_problem,
)
from cli.commands.batches import Player
from cli.console import (
    COLOURS,
    BenchmarkId,
    Part,
    PlayerKindName,
    format_moment,
    make_console,
    plain,
    print_message,
    print_note,
    print_scores,
)
from cli.exit_codes import UsageError, choose_exit_code
from cli.parts import submit_parts
from cli.progress import operate, show_progress
from scoring_core.io.formats import FORMATS, JSON, format_of
from scoring_core.io.limits import MAX_POST_BYTES
from scoring_core.metrics.spelling import show_number
from scoring_core.urls import benchmark_url, submission_url, upload_url

MAX_WAIT_SECONDS = 120.0
POLL_SECONDS = 0.2
_TICKET_NEEDED = "urn:laurel:problem:ticket-needed"


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """A file, the 202 of the API or why there is none, and its status if it was waited for."""

    file: Path
    accepted: dict[str, Any] | None = None
    problem: dict[str, Any] = field(default_factory=dict)
    status: dict[str, Any] | None = None
    is_unfinished: bool = False

    @property
    def succeeded(self) -> bool:
        """Return whether it was accepted and, if the command waited, scored."""
        return not self.problem and (self.status is None or self.status["outcome"] == "scored")

    @property
    def must_wait(self) -> bool:
        """Return whether the site takes it later, as it is."""
        return self.problem.get("status") in TRANSIENT

    def as_json(self) -> dict[str, Any]:
        """Return what `laurel submit --json` prints."""
        return {
            "file": str(self.file),
            "accepted": self.accepted,
            "problem": self.problem,
            "status": self.status,
        }


@asks_site("player_key", "token")
def submit(
    site: SiteClient,
    benchmark: BenchmarkId,
    files: Annotated[list[Path], typer.Argument(help="One file for each result.")],
    player: Annotated[str | None, typer.Option(help="Who played: a guest's name, or one that a host names.")] = None,
    kind: Annotated[
        PlayerKindName | None, typer.Option(help="Whether that player is a human or a model; default: human.")
    ] = None,
    part: Part = None,
    label: Annotated[
        str | None, typer.Option(help="A name for this submission, where a board has a row for each label.")
    ] = None,
    ticket: Annotated[
        str | None,
        typer.Option(help="The run ticket of this play, `run_…`; default: a new one, where the benchmark needs one."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all are scored, and show the scores.")] = False,
) -> None:
    """Submit results over HTTP.

    The ending of a file says what it is: JSON if it is that of no other format.
    """
    if ticket is not None and len(files) > 1:
        raise UsageError("--ticket: a run ticket is for one result; expected one file")
    about = {"player": player, "kind": kind, "part": part, "label": label}
    submitted = submit_files(site.http, benchmark, files, about=about, ticket=ticket, wait=wait)
    site.show([result.as_json() for result in submitted], lambda: _print_submitted(submitted))
    unfinished = [result for result in submitted if result.is_unfinished]
    later = [result for result in submitted if result.must_wait]
    failed = sum(not result.succeeded for result in submitted) > len(unfinished) + len(later)
    raise typer.Exit(choose_exit_code(failed=failed, try_later=bool(later), unfinished=bool(unfinished)))


@asks_site("token", "receipt")
def status(
    site: SiteClient,
    benchmark: BenchmarkId,
    submission: Annotated[str, typer.Argument(help="The submission's id.")],
) -> None:
    """Show the status of a submission.

    Details and messages need its receipt or the player's token. `laurel report` shows how a batch went.
    """
    answer = get(site.http, submission_url(benchmark, submission))
    site.show(answer, lambda: _print_status(answer))


@asks_site("token", "receipt")
def withdraw(
    site: SiteClient,
    benchmark: BenchmarkId,
    submission: Annotated[str, typer.Argument(help="The id of a submission or a batch.")],
    *,
    reason: Annotated[
        str | None, typer.Option(help="The reason, shown to everybody: one line of 1-300 characters.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take back a withdrawal of the last hour.")] = False,
    player: Player = None,
) -> None:
    """Take a submission or a batch off the board; its record is kept.

    A batch is withdrawn as a whole. An interrupted command can be repeated.
    """
    if undo == (reason is not None):
        raise UsageError("expected --reason or --undo")
    asked = {"undo": True} if undo else {"reason": reason}
    try:
        answer = post(site.http, f"{submission_url(benchmark, submission)}/withdrawal", asked)
    except PathNotFound:
        if site.receipt or not site.token:
            raise
        answer = withdraw_batch(site.http, benchmark, submission, asked, player=player)
        done = "restored" if undo else "withdrawn"
        count = f"{answer['changed']} submission{'' if answer['changed'] == 1 else 's'}"
        site.show(answer, f"{count} of batch {answer['drop']} {done}")
    else:
        site.show(answer, (lambda: _print_status(answer)) if undo else _format_withdrawal(answer["withdrawn"]))


@asks_site("owner")
def accept(
    site: SiteClient,
    benchmark: BenchmarkId,
    submission: Annotated[
        str | None, typer.Argument(help="Its id, as `laurel submissions --in-review` lists it.")
    ] = None,
    frozen: Annotated[bool, typer.Option("--frozen", help="All that waits only because the board is frozen.")] = False,
    reason: Annotated[str | None, typer.Option(help="Why, for the audit trail.")] = None,
) -> None:
    """Accept what waits for the owner's look: it counts at once.

    `review` in benchmark.yaml says what waits. To reject it, withdraw it. An interrupted command can be repeated.
    """
    if (submission is not None) == frozen:
        raise UsageError("expected a submission, or --frozen")
    query: dict[str, str | None] = {"in_review": "true", "limit": "1000"}
    listed = list_pages(site.http, f"{benchmark_url(benchmark)}/submissions", "submissions", query)
    waiting = [submission] if submission else [str(each["submission"]) for each in list(listed) if each["frozen"]]
    for each in waiting:
        post(site.http, f"{submission_url(benchmark, each)}/acceptance", {"reason": reason} if reason else {})
    site.show({"accepted": waiting}, f"accepted {len(waiting)}: the boards show it in a moment")


def withdraw_batch(
    client: httpx.Client, benchmark: str, batch: str, asked: dict[str, Any], *, player: str | None
) -> dict[str, Any]:
    """Withdraw or restore all of a batch; return how many changed. Raises ApiError."""
    changed = 0
    while True:
        answer = post(client, f"{upload_url(benchmark, batch)}/withdrawal", asked, query={"player": player})
        changed += answer["changed"]
        if not answer["left"]:
            return {**answer, "changed": changed}


def submit_files(
    client: httpx.Client,
    benchmark: str,
    files: Sequence[Path],
    *,
    about: Mapping[str, str | None],
    ticket: str | None = None,
    wait: bool,
) -> list[SubmittedFile]:
    """Submit files one after another.

    Args:
        client: The API.
        benchmark: The benchmark's id.
        files: One for each result.
        about: The parameters of the POST that say who played what; None is left out.
        ticket: The run ticket of the one file; None: get one for each file that needs it.
        wait: Whether to wait for the outcomes.

    Returns:
        The files in their order; a rejected file does not stop the others.
    """
    with show_progress(hidden=len(files) == 1) as progress:
        submitted = [
            _submit(client, benchmark, file, about, ticket) for file in progress.track(files, description="submitting")
        ]
    if not wait:
        return submitted
    with show_progress(hidden=len(files) == 1) as progress:
        return [_wait(client, result) for result in progress.track(submitted, description="waiting")]


def _begin_play(client: httpx.Client, benchmark: str, about: Mapping[str, str | None]) -> str:
    """Return a new ticket once its result may be sent. Raises ApiError."""
    asked = {name: about[name] for name in ("player", "kind", "part")}
    issued = post(client, f"{benchmark_url(benchmark)}/runs", query=asked)
    seconds = get(client, benchmark_url(benchmark))["runs"]["at_least_seconds"]
    if seconds:
        print_note(f"waiting {seconds} s: here a play takes at least so long from its run ticket on")
        time.sleep(seconds)
    return str(issued["ticket"])


def _submit(
    client: httpx.Client, benchmark: str, file: Path, about: Mapping[str, str | None], ticket: str | None
) -> SubmittedFile:
    media_type = FORMATS[format_of(file.name) or JSON].media_type
    headers = {} if ticket is None else {"Laurel-Ticket": ticket}
    path = f"{benchmark_url(benchmark)}/submissions"
    try:
        if file.stat().st_size > MAX_POST_BYTES:
            answer = submit_parts(client, f"{benchmark_url(benchmark)}/large", file, leave_out(about), headers)
        else:
            headers["Content-Type"] = media_type
            answer = client.post(path, params=leave_out(about), content=file.read_bytes(), headers=headers)
    except OSError as error:
        return SubmittedFile(file, problem={"detail": error.strerror})
    if answer.status_code == HTTPStatus.NOT_FOUND:
        raise make_error(answer, path)
    if answer.status_code != HTTPStatus.ACCEPTED:
        problem = read_problem(answer)
        if ticket is None and problem.get("type") == _TICKET_NEEDED:
            return _submit(client, benchmark, file, about, _begin_play(client, benchmark, about))
        if answer.status_code == HTTPStatus.UNSUPPORTED_MEDIA_TYPE:
            problem["detail"] = _explain_ending(file, problem["detail"])
        return SubmittedFile(file, problem=problem)
    return SubmittedFile(file, accepted=answer.json())


def _explain_ending(file: Path, detail: str) -> str:
    """Return why a file is rejected, from what the API says of its ending's type."""
    expected = detail.partition(", found")[0]
    endings = [f".{name}" for name, taken in FORMATS.items() if taken.media_type in expected]
    advice = "; pack it into a ZIP" if endings == [".zip"] else ""
    return f"expected a file that ends in {' or '.join(endings)}, found {file.name!r}{advice}" if endings else detail


def _wait(client: httpx.Client, submitted: SubmittedFile) -> SubmittedFile:
    """Wait for the outcome of a file; a failure keeps its receipt."""
    if submitted.accepted is None:
        return submitted
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    try:
        while time.monotonic() < deadline:
            answer = get(client, submitted.accepted["status_url"], receipt=submitted.accepted["receipt"])
            if answer["status"] == "done":
                return replace(submitted, status=answer)
            time.sleep(POLL_SECONDS)
    except (ApiError, httpx.TransportError) as error:
        return replace(submitted, problem={"detail": str(error)})
    detail = f"still queued after {MAX_WAIT_SECONDS:.0f} seconds"
    return replace(submitted, problem={"detail": detail}, is_unfinished=True)


def _print_submitted(submitted: Sequence[SubmittedFile]) -> None:
    console = make_console()
    for result in submitted:
        mark = "[green]✓[/]" if result.succeeded else "[yellow]…[/]" if result.is_unfinished else "[red]✗[/]"
        line = f"{mark} {plain(str(result.file))}"
        problem = plain(str(result.problem.get("detail", "")))
        if result.accepted is None:
            console.print(f"{line}: {problem}")
        elif result.status is None:
            console.print(f"{line}: queued as {result.accepted['submission']}{f', {problem}' if problem else ''}")
            console.print(f"    [dim]receipt {result.accepted['receipt']}[/]")
        else:
            console.print(line)
            _print_status(result.status)
    counts = [result.accepted["quota_left"] for result in reversed(submitted) if result.accepted]
    left = next((count for count in counts if count is not None), None)
    if left is not None and submitted[-1].status is None:
        console.print(f"[dim]{_describe_left(left)}[/]")


def _format_withdrawal(withdrawal: Mapping[str, Any]) -> str:
    return f"withdrawn at {format_moment(withdrawal['at'])} ({withdrawal['by']}): {plain(withdrawal['reason'])}"


def _print_status(answer: Mapping[str, Any]) -> None:
    console = make_console()
    outcome = answer["outcome"] or answer["status"]
    submission = f"{answer['submission']} by {plain(answer['name'])}"
    console.print(f"[bold {COLOURS.get(outcome, 'cyan')}]{outcome}[/] {submission}")
    if answer.get("withdrawn"):
        console.print(_format_withdrawal(answer["withdrawn"]))
    if more := answer.get("extension"):
        console.print(f"more time until {format_moment(more['until'])}: {plain(more['reason'])}")
    if answer.get("late"):
        console.print("[yellow]late[/]: it came after the close, and counts on no board")
    elif answer.get("in_review"):
        review = "[yellow]in review: waits for the owner's look[/]; until then it counts on no board"
        console.print("[yellow]frozen[/]: counts once the board shows what came" if answer.get("frozen") else review)
    elif answer.get("rank"):
        console.print(f"rank {answer['rank']} of {answer['players']}")
    elif answer.get("would_rank"):
        console.print(f"would be rank {answer['would_rank']}; to be on the board, give a name with --player")
    if rank := answer.get("part_rank"):
        console.print(f"rank {rank['rank']} of {rank['players']} on the board {plain(rank['board'])}")
    if best := answer.get("personal_best"):
        console.print(_describe_best(best))
    print_message(console, answer.get("message") or "", answer.get("pointer"))
    parts = [(part["part"], part["scores"]) for part in answer.get("parts") or ()]
    print_scores(console, answer.get("scores") or {}, parts, write=show_number)
    if answer.get("quota_left") is not None:
        back = f"; the day's are back at {answer['resets_at'][:16].replace('T', ' ')} UTC"
        in_all = "" if answer.get("left_in_all") is None else f", {answer['left_in_all']} in all"
        console.print(f"[dim]{_describe_left(answer['quota_left'])}{in_all}{back}[/]")


def _describe_left(count: int) -> str:
    return f"{count} more result{'' if count == 1 else 's'} may be submitted now"


def _describe_best(best: Mapping[str, Any]) -> str:
    """Return a personal best, and what it was before, as markup."""
    part = f" in {plain(best['part'])}" if best["part"] else ""
    if not best["is_new"]:
        return f"no personal best{part}; that is {_list_scores(best['scores'])}"
    before = f"; before {_list_scores(best['before'])}" if best["before"] else ""
    return f"new personal best{part}{before}"


def _list_scores(scores: Mapping[str, float]) -> str:
    return ", ".join(f"{plain(name)} {show_number(value)}" for name, value in scores.items())


@asks_site("admin")
def sweep(
    site: SiteClient,
    hours: Annotated[int, typer.Option(min=1, help="How far back to look for results without an outcome.")] = 48,
    failed: Annotated[
        bool, typer.Option("--failed", help="Queue results that ended as internal_error instead, of any age.")
    ] = False,
) -> None:
    """Queue results without an outcome again, without waiting for the schedule."""
    queued = operate(site.http, {"operation": "sweep", "hours": hours, "failed": failed})["queued"]
    site.show(queued, lambda: _print_swept(queued, failed=failed))


def _print_swept(queued: Mapping[str, int], *, failed: bool) -> None:
    console = make_console()
    kind = "that ended as internal_error" if failed else "without an outcome"
    for benchmark, number in queued.items():
        console.print(f"[bold]{benchmark}[/]: {number} results {kind} are queued again")
    if not queued:
        console.print(f"no results {kind}")
