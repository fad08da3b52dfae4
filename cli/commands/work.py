"""`laurel work`: a machine of the owner scores the results of a benchmark, whose truth and program stay there."""

import json
import os
import random
import secrets
import signal
import socket
import string
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final

import httpx
import typer

from cli.client import TRANSIENT, ApiError, SiteClient, TryLater, asks_site, make_error, post, read_problem
from cli.commands.benchmarks.scoring import BUBBLEWRAP, NONE, open_sandbox, require_benchmark
from cli.console import COLOURS, SandboxChoice, make_console, plain, print_note
from cli.exit_codes import CommandError, UsageError
from cli.parts import load_parts
from cli.progress import show_progress
from cli.salts import MISSING
from sandbox.bubblewrap import Sandbox
from sandbox.runtimes import hash_locks
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.errors import InvalidResult, LaurelError, SandboxFailure
from scoring_core.io.limits import MAX_SCRIPT_RESULT_BYTES
from scoring_core.judgement import Judgement, judge, make_signature
from scoring_core.metrics.spelling import show_number
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import TicketedRun
from scoring_core.scorers.script import MOST
from scoring_core.urls import benchmark_url, submission_url

RENEW_SECONDS: Final = 20.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, AWAY_SECONDS = 5.0, 60.0, 3600.0
MAX_SECONDS: Final = float(MOST["own"]["timeout_seconds"])
_RENEW_TIMEOUT_SECONDS: Final = 10.0
_MAX_DETAIL_BYTES: Final = 300_000
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT})
NOBODY: Final = 65_534
LARGE_FILES: Final = "/var/tmp"  # noqa: S108  # where they are not in memory
_PLAIN: Final = f"{string.ascii_letters}{string.digits}._-"


class ScorerFailed(LaurelError):
    """The scorer crashed: its lease ends by itself, which counts as a try."""


@asks_site("owner")
def work(
    site: SiteClient,
    folder: Annotated[Path, typer.Argument(help="The benchmark's folder, with truth and program.", metavar="FOLDER")],
    *,
    once: Annotated[bool, typer.Option("--once", help="Score one result, if one waits, and end.")] = False,
    sandbox: SandboxChoice = BUBBLEWRAP,
) -> None:
    """Score on this machine what is submitted to a benchmark that says `runs_on: own`.

    The platform hands out results and takes scores; truth and program stay here. It runs until Ctrl-C.
    """
    benchmark = load_own(folder)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="laurel-results-", dir=os.environ.get("TMPDIR", LARGE_FILES)) as results:
        if os.geteuid() == 0:
            os.chown(results, NOBODY, NOBODY)  # bubblewrap's scripts are nobody's then
        with open_sandbox(sandbox, needed=benchmark.definition.runs_script, results=Path(results)) as opened:
            kind = sandbox if sandbox in {BUBBLEWRAP, NONE} else "command"
            Worker(site, folder, benchmark, opened, kind, Path(results)).serve(once=once)


@dataclass
class Worker:
    """Scores one result after another, each under a lease.

    Args:
        site: Where results wait.
        folder: The benchmark's folder, which must stay as it is.
        benchmark: What was in it at the start.
        sandbox: Runs its script.
        kind: What records say of the sandbox: `bubblewrap`, `none` or `command`.
        results: A folder for results that are too large for an event of the sandbox.
        pause: Waits for seconds.
        clock: Seconds; no time of day of this machine decides anything.
        renew_seconds: How often a lease is renewed.
    """

    site: SiteClient
    folder: Path
    benchmark: Benchmark
    sandbox: Sandbox
    kind: str
    results: Path
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    renew_seconds: float = RENEW_SECONDS

    def __post_init__(self) -> None:
        benchmarks = [self.benchmark, *([self.benchmark.reveal()] if self.benchmark.definition.final else [])]
        self._scorers = {
            each.version: (each, each.prepare_scorer(self.sandbox, max_seconds=MAX_SECONDS)) for each in benchmarks
        }
        host = "".join(letter if letter in _PLAIN else "-" for letter in socket.gethostname())[:50]
        self._host = host or "runner"
        self._path = f"{benchmark_url(self.benchmark.definition.id)}/work"

    def serve(self, *, once: bool) -> None:
        """Score what waits; the longer nothing does, the longer wait before asking again.

        Raises LaurelError if the site does not take this runner, or the folder was changed.
        """
        # Each process has its own name, but for those that a clock may start by the thousand.
        runner = f"{self._host}-{'once' if once else secrets.token_hex(4)}"
        asked = {"runner": runner, "versions": list(self._scorers), "sandbox": self.kind}
        seconds = FIRST_PAUSE_SECONDS
        while True:
            self._check_folder()
            run = None
            try:
                answer = post(self.site.http, self._path, asked)
                if (run := answer["run"]) is not None:
                    self._score(run, answer["waits"])
            except (TryLater, ScorerFailed, SandboxFailure, httpx.TransportError) as error:
                if once:
                    raise
                print_note(f"{error}; asks again in a moment")
                run = None
            if once:
                if run is None:
                    print_note("nothing waits that no other runner has")
                return
            if run is not None:
                seconds = FIRST_PAUSE_SECONDS
                continue
            with show_progress() as progress:
                progress.add_task("waiting for results", total=None)
                self.pause(seconds * random.uniform(0.75, 1.0))  # noqa: S311  # so that runners ask apart
            seconds = min(2 * seconds, LONGEST_PAUSE_SECONDS)

    def _score(self, run: Mapping[str, Any], waits: int) -> None:
        """Score one result and post the outcome, or give the lease back."""
        started, path = self.clock(), f"{self._path}/{run['submission']}"
        lease = {"version": run["version"], "lease": run["lease"], "release": False}
        try:
            with (
                show_progress() as progress,
                _renewed(self.site.http, f"{path}/lease", lease, every=self.renew_seconds),
            ):
                progress.add_task(f"scoring 1 of {waits}", total=None)
                judgement = self._judge(run)
            self._check_folder()
        except ScorerFailed:
            raise
        except BaseException:
            with suppress(httpx.TransportError):
                self.site.http.post(f"{path}/lease", json={**lease, "release": True})
            raise
        if self._post(path, self._describe(run["version"], judgement)):
            self._print(run["submission"], judgement, self.clock() - started)

    def _judge(self, run: Mapping[str, Any]) -> Judgement:
        """Load a result and score it.

        Raises TryLater or TransportError if it cannot be loaded, SandboxFailure, or ScorerFailed.
        """
        benchmark, scorer = self._scorers[run["version"]]
        result = self._load_result(run["result_url"], benchmark.definition.submissions.max_bytes)
        file = self.results / f"result.{run['file_format']}"
        ticket = run["ticket"] and TicketedRun(run["ticket"]["seconds"], run["ticket"]["seed"])
        given = {"part": run["part"], "run": ticket, "file_format": run["file_format"]}
        try:
            if run["sha256"] is not None:
                url = submission_url(self.benchmark.definition.id, run["submission"])
                load_parts(self.site.http, url, result, run["sha256"], file)
            elif len(result) > MAX_SCRIPT_RESULT_BYTES:
                file.write_bytes(result)
            whole = file if file.exists() else result
            return judge(benchmark, scorer, whole, **given, max_seconds=MAX_SECONDS)
        except InvalidResult as error:
            return Judgement(Outcome.INVALID, message=error.message)
        except (ApiError, httpx.TransportError, SandboxFailure):
            raise
        except Exception as error:
            raise ScorerFailed(f"{run['submission']}: the scorer failed: {type(error).__name__}: {error}") from error
        finally:
            file.unlink(missing_ok=True)

    def _load_result(self, address: str, most: int) -> bytes:
        result = bytearray()
        # Not with the client of the site: the address is signed, and S3 must not see the token.
        with httpx.stream("GET", self.site.http.base_url.join(address), timeout=30) as answer:
            if not answer.is_success:
                raise TryLater(f"a result cannot be loaded: {answer.status_code} {answer.reason_phrase}")
            for chunk in answer.iter_bytes():
                result += chunk
                if len(result) > most:
                    raise ScorerFailed(f"a result is too large: `max_bytes` is {most}")
        return bytes(result)

    def _describe(self, version: str, judgement: Judgement) -> dict[str, Any]:
        """Return what the platform learns of a result, without too long details."""
        evaluations = [
            {"part": each.part, "scores": each.scores, "detail": each.detail} for each in judgement.evaluations
        ]
        if len(json.dumps([each["detail"] for each in evaluations])) > _MAX_DETAIL_BYTES:
            evaluations = [{**each, "detail": {}} for each in evaluations]
        return {
            "version": version,
            "outcome": judgement.outcome,
            "evaluations": evaluations,
            "message": judgement.message,
            "pointer": judgement.pointer,
            "output": judgement.output and asdict(judgement.output),
            "signature": f"{make_signature(self._scorers[version][0])}|sandbox:{self.kind}",
        }

    def _post(self, path: str, outcome: Mapping[str, Any]) -> bool:
        """Post an outcome, and return whether it counts.

        Raises TryLater if the site is away for an hour, ApiError if it rejects it.
        """
        until, seconds = self.clock() + AWAY_SECONDS, 1.0
        while True:
            try:
                answer = self.site.http.post(path, json=outcome)
                if answer.status_code not in TRANSIENT:
                    break
                reason = read_problem(answer)["detail"]
            except httpx.TransportError as error:
                reason = error
            if self.clock() > until:
                raise TryLater(f"{path}: the outcome could not be posted for an hour: {reason}")
            print_note(f"{path}: not posted yet: {reason}")
            self.pause(seconds)
            seconds = min(2 * seconds, LONGEST_PAUSE_SECONDS)
        if answer.status_code in _GONE:
            print_note(f"{path}: not recorded: {read_problem(answer)['detail']}")
        elif not answer.is_success:
            raise make_error(answer, path)
        return answer.is_success

    def _check_folder(self) -> None:
        expected, present = self.benchmark, load_own(self.folder)
        if (present.version, present.final_version) != (expected.version, expected.final_version):
            raise CommandError(
                f"{self.folder} was changed: expected version {expected.version}, found {present.version}; publish it, "
                "and start again"
            )

    def _print(self, submission: str, judgement: Judgement, seconds: float) -> None:
        moment, name = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", self.benchmark.definition.score_type.names[0]
        line = {"at": moment, "submission": submission, "outcome": judgement.outcome, "scores": judgement.scores}
        if self.site.as_json:
            typer.echo(json.dumps({**line, "message": judgement.message, "seconds": round(seconds, 3)}))
            return
        score = judgement.scores.get(name)
        shown = plain(judgement.message if score is None else f"{name} {show_number(score)}")
        outcome = f"[{COLOURS[judgement.outcome]}]{judgement.outcome}[/]"
        make_console().print(f"{moment} {submission} {outcome} {shown} [dim]{seconds:.1f} s[/]")


def load_own(folder: Path) -> Benchmark:
    """Load the folder of a benchmark that its owner scores. Raises LaurelError."""
    require_benchmark(folder)
    benchmark = load_folder(folder).pin_runtime(hash_locks())
    if not benchmark.definition.runs_own:
        raise UsageError(f"{folder}: expected `runs_on: own` in benchmark.yaml; the platform scores this benchmark")
    if benchmark.needs_salt:
        raise UsageError(f"{folder}: {MISSING}")
    return benchmark


@contextmanager
def _renewed(client: httpx.Client, path: str, lease: Mapping[str, Any], *, every: float) -> Iterator[None]:
    """Renew a lease while the context lasts.

    One that is lost does not end the run: the first outcome counts, with a lease or without.
    """
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(every):
            with suppress(httpx.TransportError):
                client.post(path, json=lease, timeout=_RENEW_TIMEOUT_SECONDS)

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
