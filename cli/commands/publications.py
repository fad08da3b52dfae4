"""`laurel publish`: uploads a benchmark's folder with an owner's token."""

import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

import httpx
import typer

from cli.client import NotFinished, connect, get, make_error, post
from cli.commands.corrections import Reason, rescore
from cli.commands.scoring import Folder, require_benchmark
from cli.console import AsJson, Host, Token, is_interactive, make_console, plain, print_json, print_note
from cli.exit_codes import UsageError, choose_exit_code
from cli.progress import show_progress
from cli.salts import KEPT_ELSEWHERE, keep_salt
from cli.sites import find_admin_token, find_site
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.urls import benchmark_url

POLL_SECONDS = 1.0
MAX_WAIT_SECONDS = 1800.0
UPLOAD_TIMEOUT_SECONDS = 600.0
_ENDED = frozenset({"published", "refused", "conflict", "failed"})


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
    if reason is not None and not report["next"]:
        make_console().print("No result is scored again, so there is no correction to announce.")
    if report["next"] and is_interactive() and typer.confirm("Score them now?", default=False):
        rescore(benchmark=report["benchmark"], reason=None, token=token, host=host, json=False)


def publish_bundle(client: httpx.Client, benchmark: Benchmark, reason: str | None = None) -> dict[str, Any]:
    """Upload a benchmark, wait for its check, and return how publishing ended.

    Raises:
        ApiError: The site rejects the request, or the check does not end.
    """
    bundle = benchmark.pack()
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
        if not example["differences"]:
            continue
        console.print(f"[red]✗[/] {plain(example['name'])} [dim]{example['outcome']}[/]")
        print_lines(example["differences"])
        for name in ("stdout", "stderr"):
            if example[name]:
                console.print(f"    [dim]{name}:[/]")
                print_lines(example[name].rstrip().splitlines())
    raise end


def print_lines(lines: Sequence[str]) -> None:
    """Print lines below what they are about."""
    for line in lines:
        make_console().print(f"    {plain(line)}")


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
