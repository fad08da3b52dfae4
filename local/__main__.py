"""`laurel local`: the whole stack until Ctrl-C; a new one gets the shipped benchmarks and sample runs."""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from rich.console import Console
from rich.markup import escape
from rich.style import Style

from aggregate.benchmarks.publishing import BenchmarkPublisher
from aggregate.dependencies import make_publisher
from cli.exit_codes import USAGE
from cli.salts import keep_salt
from local.data import FILE, DataError, count_contents, erase, translated
from local.intrinsics import TemplateError
from local.layout import BENCHMARKS, GAME, IS_INSTALLED
from local.mail.relay import PASSWORD_VARIABLE, RETRY_SECONDS, MailServer, read_server
from local.samples import play_samples
from local.site.games import serve_game
from local.site.hosts import is_name
from local.site.listening import PortTaken
from local.stack import PARAMETERS, LocalStack, Stack, plan_workers
from local.work.dispatcher import BEAT_SECONDS
from sandbox.bubblewrap import find_unsupported
from sandbox.runtimes import hash_locks
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.definition import DEFINITION_FILE
from scoring_core.benchmarks.loading import Benchmark, load_bundle, load_folder
from scoring_core.io.text import show_harmless
from storage.actors import Actor, Role
from storage.benchmarks.publications import PublicationStatus
from storage.gateway.bucket import Bucket
from storage.gateway.errors import StoreError

STATE = Path(".laurel")
EXAMPLE = "aic-2025"
COMMAND = "laurel" if IS_INSTALLED else ".venv/bin/laurel"
BEGUN = "samples"
"""Note in the store while a new one is filled: an interrupted start is completed by the next one."""
MIN_POLL_SECONDS, MAX_POLL_SECONDS = 0.01, 3600.0
RESULT = '{"question": "7", "text": "TR-V030-1519"}'


class Options(NamedTuple):
    """What was typed after `laurel local`, as JSON; `cli/commands/machine.py` explains each option."""

    port: int
    host: list[str] | None
    url: str | None
    smtp: str | None
    sender: str | None
    admin: str | None
    data: str | None
    fresh: bool
    samples: bool | None
    workers: int | None
    poll: float | None
    mail_retry: int | None
    mail_gather: int | None
    submit_benchmark: str | None


def main() -> int:
    """Run the stack; return the exit code."""
    options = Options(**json.loads(sys.argv[1]))
    try:
        hosts = frozenset(map(_read_host, options.host or ()))
        url = _read_url(options.url) if options.url else None
        mail_server = _read_mail_server(options)
        poll_seconds = _read_poll(options.poll)
    except ValueError as error:
        sys.stderr.write(f"error: {error}\n")
        return USAGE
    parameters = {
        **PARAMETERS,
        **({"SenderAddress": options.sender} if options.sender else {}),
        **({"AdminAddress": options.admin} if options.admin else {}),
        **({"GatherSeconds": str(options.mail_gather)} if options.mail_gather is not None else {}),
        **({"SubmitBenchmark": options.submit_benchmark} if options.submit_benchmark else {}),
        **(plan_workers(options.workers) if options.workers else {}),
    }
    console = Console(highlight=False, soft_wrap=True)
    stop, ready = threading.Event(), threading.Event()

    log, write_request = make_log(console), make_request_log(console)

    def log_request(line: str) -> None:
        if ready.is_set():  # until then, the sample runs show a progress bar
            write_request(line)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    data = Path(options.data) if options.data else STATE / "data"
    unsupported = find_unsupported()
    print_unsupported(unsupported, console)
    try:
        if options.fresh:
            erase(data)
        with (
            translated(data / FILE),
            ExitStack() as games,
            LocalStack(
                port=options.port,
                log=log,
                log_request=log_request,
                hosts=hosts,
                public_url=url,
                parameters=parameters,
                variables={"UNSUPPORTED_SCORERS": json.dumps(unsupported), "RUNTIMES": json.dumps(hash_locks())},
                mail_server=mail_server,
                poll_seconds=poll_seconds,
                mail_retry_seconds=options.mail_retry or RETRY_SECONDS,
                state=STATE,
                data=data,
            ) as stack,
        ):
            shipped = options.data is None
            samples = shipped if options.samples is None else options.samples
            game = _serve_game(stack, games, console, options.port) if shipped else None
            _fill(stack, console, stop, shipped=shipped, samples=samples, unsupported=unsupported, game=game)
            if not stop.is_set():
                _print_welcome(stack, data, console, url, game)
                ready.set()
            stop.wait()
            console.print("stopping …")
    except PortTaken as error:
        console.print(
            f"[bold red]error:[/] {error}; stop the program that uses it, or choose another one with `--port`"
        )
        return 1
    except (DataError, StoreError, TemplateError) as error:
        console.print(f"[bold red]error:[/] {escape(str(error))}")
        return 1
    return 0


def make_log(console: Console) -> Callable[[str], None]:
    """Return a function that prints a line, which strangers may have written."""

    def log(line: str) -> None:
        console.print(_show_on_a_line(line), style="dim", markup=False)

    return log


def make_request_log(console: Console) -> Callable[[str], None]:
    """Return a function that prints one with less work, beside no progress bar."""
    style = Style(dim=console.is_terminal)

    def log(line: str) -> None:
        console.file.write(f"{style.render(_show_on_a_line(line))}\n")
        console.file.flush()

    return log


def _show_on_a_line(line: str) -> str:
    return show_harmless(line).replace("\n", "\\n")


def print_unsupported(unsupported: Mapping[str, str], console: Console) -> None:
    """Print a line for each scorer that this machine lacks something for."""
    for scorer, reason in unsupported.items():
        console.print(f"[yellow]note:[/] benchmarks with the scorer {scorer} are not published: {escape(reason)}")


def _read_mail_server(options: Options) -> MailServer | None:
    if options.smtp is None:
        return None
    server = read_server(options.smtp, os.environ.get(PASSWORD_VARIABLE))
    if not (options.sender and options.admin):
        raise ValueError("--smtp: name the addresses of mails too: --sender ADDRESS --admin ADDRESS")
    return server


def _read_poll(seconds: float | None) -> float:
    if seconds is None:
        return BEAT_SECONDS
    if not MIN_POLL_SECONDS <= seconds <= MAX_POLL_SECONDS:
        raise ValueError(f"--poll: expected {MIN_POLL_SECONDS:g} to {MAX_POLL_SECONDS:g} seconds, found {seconds:g}")
    return seconds


def _read_host(text: str) -> str:
    if not is_name(text):
        raise ValueError(f"--host: expected a name such as laurel.example, without scheme and port: {text!r}")
    return text.lower()


def _read_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or parts.path not in {"", "/"} or not is_name(parts.hostname or ""):
        raise ValueError(f"--url: expected an address such as https://laurel.example: {text!r}")
    return f"{parts.scheme}://{parts.netloc}"


def _fill(
    stack: Stack,
    console: Console,
    stop: threading.Event,
    *,
    shipped: bool,
    samples: bool,
    unsupported: Collection[str],
    game: str | None,
) -> None:
    """Publish benchmarks into a new store, or report what an old one holds."""
    if not stack.is_new and stack.store.find_note(BEGUN) is None:
        with stack.store.reading() as connection:
            kept = count_contents(connection)
        console.print(f"everything is as it was: {kept.results} results, and all that became of them")
        return
    stack.store.put_note(BEGUN, "")
    published = list(_publish_shipped(stack, console, unsupported, game)) if shipped or samples else []
    if samples:
        played = play_samples(stack.url, BENCHMARKS, console, stop, only=published)
        # The front page counts players by the index, which the schedule writes, at first in some minutes.
        _make_publisher(stack).aggregator.renderer.update_index(played)
    if not stop.is_set():
        stack.store.put_note(BEGUN, None)


def _make_publisher(stack: Stack) -> BenchmarkPublisher:
    return make_publisher(
        stack.settings, s3=stack.cloud.objects, dynamodb=stack.cloud.tables, clock=lambda: datetime.now(UTC)
    )


def _publish_shipped(stack: Stack, console: Console, unsupported: Collection[str], game: str | None) -> Iterator[str]:
    """Publish the benchmarks that this machine can score; yield their ids."""
    publisher = _make_publisher(stack)
    for folder in sorted(path.parent for path in BENCHMARKS.glob("*/benchmark.yaml")):
        benchmark = load_folder(folder)
        if benchmark.definition.scorer in unsupported:
            continue
        if game and folder.name == GAME.name:
            benchmark = link_game(benchmark, game)
        if benchmark.definition.final is not None:
            benchmark = set_final(benchmark, datetime.now(UTC) + timedelta(days=14))
        report = publisher.publish(benchmark, actor=Actor(id="laurel local", role=Role.OPERATOR))
        if report.status is not PublicationStatus.PUBLISHED:
            console.print(f"not published: {escape(report.detail)}")
            continue
        console.print(f"published [bold]{benchmark.definition.id}[/] version {report.version}")
        if report.salt:
            keep_salt(folder, report.salt)
        yield benchmark.definition.id


def link_game(benchmark: Benchmark, url: str) -> Benchmark:
    """Return a benchmark whose board leads to a game."""
    return _define(benchmark, f'links: [{{label: Play, url: "{url}"}}]\n')


def set_final(benchmark: Benchmark, moment: datetime) -> Benchmark:
    """Return a contest that closes at a moment, at which its final begins."""
    at = moment.isoformat(timespec="seconds")
    return _define(benchmark, f"closes: {at}\nfinal: {{at: {at}}}\n")


def _define(benchmark: Benchmark, lines: str) -> Benchmark:
    definition = benchmark.files[DEFINITION_FILE] + lines.encode()
    return load_bundle(pack({**benchmark.files, DEFINITION_FILE: definition}))


def _serve_game(stack: Stack, games: ExitStack, console: Console, port: int) -> str | None:
    """Serve Coin Run beside the site, on the next port; return its address."""
    try:
        url = games.enter_context(serve_game(GAME, site=stack.url, port=port and port + 1))
    except PortTaken as error:
        console.print(f"Coin Run, the example of a game, is not served: {error}")
        return None
    return url.replace("127.0.0.1", "localhost")


def _print_welcome(stack: Stack, data: Path, console: Console, public_url: str | None, game: str | None) -> None:
    url = stack.url
    play = f"Play        {game}, Coin Run: a game on an origin of its own\n" if game else ""
    visitors = f"Visitors    {escape(public_url)}\n" if public_url else ""
    console.print(
        f"""
[bold]Laurel runs at {url}[/]   Ctrl-C stops it

Everything is kept in {escape(str(data))}, and is there again at the next start.

{visitors}Boards      {url}
{play}as JSON     {url}/data/index.json
API         {url}/api/docs
Mail        {url}/outbox
Logs        {STATE}/log/
"""
    )
    if _is_published(stack, EXAMPLE):
        console.print(
            f"""Submit a result, and see it on the board:

  curl -s '{url}/api/benchmarks/{EXAMPLE}/submissions?player=Me' \\
       -H 'Content-Type: application/json' -d '{RESULT}'
  {COMMAND} board {EXAMPLE} --api {url}
"""
        )


def _is_published(stack: Stack, benchmark: str) -> bool:
    bucket = Bucket(stack.cloud.objects, stack.template.resources["ResultsBucket"].name)
    return bucket.find_first(f"benchmarks/{benchmark}/") is not None


if __name__ == "__main__":
    sys.exit(main())
