"""`laurel work` against a site that answers as the platform does: what is scored, posted, given back and said."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from cli.client import SiteClient, TryLater
from cli.commands.work import AWAY_SECONDS, Worker, load_own
from cli.exit_codes import FAILED, OK, CommandError, UsageError
from sandbox.plain import PlainSandbox
from scoring_core.errors import BenchmarkError
from tests.harness.command_line import laurel
from tests.harness.waiting import wait_for
from tests.unit.conftest import WriteFolder

SITE, WORK = "http://localhost", "/api/benchmarks/coin-run/work"
SCRIPT = b"""
import json, os, sys, time
given = json.load(open(sys.argv[1]))
open(given.get("begun", "/dev/null"), "w").close()
given["Coins"] -= 1000 * any(name.startswith(("LAUREL_", "AWS_")) for name in os.environ)
while not os.path.exists(given.get("until", "/")):
    time.sleep(0.01)
if given["Coins"] < 0:
    sys.exit("negative" if given["Coins"] < -1 else 2)
truth = json.load(open(os.path.join(os.path.dirname(__file__), "truth.json")))
print(json.dumps({"Coins": given["Coins"] + truth, "Time": 1.5}))
"""
FILES = {"evaluate.py": SCRIPT, "truth.json": b"0", "hidden.json": b"1"}
OWN = {"runs_on": "own", "salt": "none", "ground_truth": "truth.json", "submissions": {"max_bytes": 300}}
NONE = ("--sandbox", "none")
BANNER = ("--sandbox", """/bin/sh -c 'echo "== CUDA =="; exec "$0" "$@"'""")


class Stop(BaseException):
    """Ends a runner that would go on."""


@dataclass
class Site:
    """A site with results that wait; what it answers instead is a status, an error, or what is done before."""

    results: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    place: str = "/results/"
    instead: dict[str, list[Any]] = field(default_factory=dict)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer a request, and remember it."""
        body, name = json.loads(request.content or b"null"), request.url.path.rpartition("/")[2]
        kinds = {"work": "ask", "lease": "release" if name == "lease" and body["release"] else "renew"}
        kind = kinds.get(name, "load" if request.method == "GET" else "post")
        self.requests.append((kind, body))
        instead = self.instead[kind].pop(0) if self.instead.get(kind) else None
        if isinstance(instead, BaseException):
            raise instead
        if isinstance(instead, int):
            problem = {"Content-Type": "application/problem+json"}
            return httpx.Response(instead, json={"detail": f"told {instead}"}, headers=problem)
        if instead is not None:
            instead()
        if kind == "load":
            self.tokens.append(request.headers.get("Authorization"))
            return httpx.Response(200, json=self.results[name])
        if kind == "post":
            del self.results[name]
        return httpx.Response(200, json=self._lease(body["versions"]) if kind == "ask" else {})

    def _lease(self, versions: list[str]) -> dict[str, Any]:
        run = {"version": versions[self.version], "lease": "l", "part": None, "file_format": "json", "ticket": None}
        named = [{"submission": name, "result_url": self.place + name, "sha256": None} for name in self.results]
        leased = [{**run, **each} for each in named]
        return {"waits": len(leased), "run": next(iter(leased), None)}

    def said(self, kind: str) -> list[Any]:
        """Return the bodies of the requests of a kind."""
        return [body for each, body in self.requests if each == kind]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site to which all requests go."""
    made = Site()
    monkeypatch.setenv("LAUREL_API", SITE)
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: made.answer(request))
    return made


@pytest.fixture
def folder(game: dict[str, Any], write_folder: WriteFolder) -> Path:
    """The folder of a benchmark whose owner scores."""
    return write_folder(game | OWN, FILES)


@dataclass
class Pauses:
    """A clock that pauses advance; the last one ends the runner."""

    most: int
    seconds: list[float] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        """Note a pause."""
        self.seconds.append(seconds)
        if len(self.seconds) == self.most:
            raise Stop

    def clock(self) -> float:
        """Return what has passed."""
        return sum(self.seconds)


@contextmanager
def runner(folder: Path, pauses: Pauses) -> Iterator[Worker]:
    """A runner of a folder that pauses as a test says, and renews leases without waiting."""
    with httpx.Client(base_url=SITE, headers={"Authorization": "Bearer t"}) as client, PlainSandbox() as sandbox:
        site = SiteClient(client, "t", None, as_json=True)
        yield Worker(
            site, folder, load_own(folder), sandbox, "none", folder.parent, pauses, pauses.clock, renew_seconds=0.001
        )


def serve(folder: Path, pauses: int = 1) -> list[float]:
    """Let a runner score until it has paused so often, and return how long it did each time."""
    noted = Pauses(pauses)
    with runner(folder, noted) as worker, pytest.raises(Stop):
        worker.serve(once=False)
    return noted.seconds


def test_outcome_is_what_scoring_at_home_gives(site: Site, folder: Path) -> None:
    """Scores, or whose fault it is and what the script printed, and how it was run."""
    site.results = {"a": {"Coins": 7}, "b": {"Coins": -1}, "c": {"Coins": -2}}

    serve(folder)

    scored, invalid, failed = site.said("post")
    version = load_own(folder).version
    assert site.said("ask")[0] == {"versions": [version], "sandbox": "none", "runner": site.said("ask")[-1]["runner"]}
    assert (scored["outcome"], scored["version"], scored["output"]) == ("scored", version, None)
    assert scored["evaluations"] == [{"part": None, "scores": {"Coins": 7, "Time": 1.5}, "detail": {}}]
    assert scored["signature"].startswith("benchmark:coin-run|version:")
    assert scored["signature"].endswith("|sandbox:none")
    assert (invalid["outcome"], invalid["evaluations"]) == ("invalid", [])
    assert (failed["outcome"], failed["output"]["stderr"]) == ("evaluator_error", "negative\n")


def test_once_scores_one_and_says_so(site: Site, folder: Path) -> None:
    """A line for people has outcome and score; one for programs is JSON; a script sees no token, in a container too."""
    site.results = {"a": {"Coins": 7}, "b": {"Coins": 8}}

    shown, told = (laurel("work", str(folder), "--once", *more, token="t") for more in (NONE, (*BANNER, "--json")))
    nothing = laurel("work", str(folder), "--once", *NONE, token="t")

    assert (shown.exit_code, told.exit_code, nothing.exit_code) == (OK, OK, OK)
    assert " a scored Coins 7 " in shown.stdout
    assert "no sandbox: the script may do what you may" in shown.stderr
    assert json.loads(told.stdout)["scores"] == {"Coins": 8, "Time": 1.5}
    assert site.said("post")[1]["signature"].endswith("|sandbox:command")
    assert "nothing waits that no other runner has" in nothing.stderr
    assert {body["runner"].rpartition("-")[2] for body in site.said("ask")} == {"once"}


@pytest.mark.parametrize("place", ["/r/", "https://s3.example/"])
def test_address_of_a_result_gets_no_token(site: Site, folder: Path, place: str) -> None:
    """It is signed, wherever it leads."""
    site.results, site.place = {"a": {"Coins": 7}}, place

    serve(folder)

    assert site.tokens == [None]


def test_final_is_scored_by_both_truths(site: Site, game: dict[str, Any], write_folder: WriteFolder) -> None:
    """The version that is leased decides."""
    final = {"closes": "2020-01-01T00:00:00Z", "final": {"ground_truth": "hidden.json"}}
    folder = write_folder(game | OWN | final, FILES)
    site.results, site.version = {"a": {"Coins": 7}}, 1

    serve(folder)

    (posted,) = site.said("post")
    assert posted["version"] == load_own(folder).final_version
    assert posted["evaluations"][0]["scores"] == {"Coins": 8, "Time": 1.5, "#public/Coins": 7, "#public/Time": 1.5}


def test_runner_asks_less_while_nothing_waits(site: Site, folder: Path) -> None:
    """It waits 5 seconds, then longer, at most 60; after a result 5 again, but not after a site that was away."""
    site.instead = {
        "ask": [httpx.ConnectError("away"), 503, None, None, None, lambda: site.results.update(a={"Coins": 1})]
    }

    seconds = serve(folder, 8)

    for pause, longest in zip(seconds, [5, 10, 20, 40, 60, 5, 10, 20], strict=True):
        assert 0.75 * longest <= pause <= longest
    assert len({pause / longest for pause, longest in zip(seconds, [5, 10, 20, 40, 60], strict=False)}) > 1


def test_lease_is_renewed_while_a_result_is_scored(site: Site, folder: Path, tmp_path: Path) -> None:
    """A renewal that does not arrive is tried again; a lost lease ends nothing, for the first outcome counts."""
    done = tmp_path / "done"
    site.results = {"a": {"Coins": 7, "until": str(done)}}
    site.instead = {"renew": [httpx.ReadTimeout("away"), 503, 409, done.touch]}

    serve(folder)

    assert site.said("renew")[2] == {"version": load_own(folder).version, "lease": "l", "release": False}
    assert [posted["outcome"] for posted in site.said("post")] == ["scored"]


def test_outcome_waits_for_a_site_that_is_away(site: Site, folder: Path) -> None:
    """It is posted once the site is there again; that another one was first is no fault."""
    site.results = {"a": {"Coins": 7}, "b": {"Coins": 8}}
    site.instead = {"post": [httpx.ConnectError("away"), 503, None, 409]}
    site.instead["ask"] = [None, None, site.results.clear]

    seconds = serve(folder, 3)

    assert (seconds[:2], len(site.said("post"))) == ([1, 2], 4)


def test_outcome_is_given_up_after_an_hour(site: Site, folder: Path) -> None:
    """A runner that cannot post says so, and its lease has long ended."""
    site.results, site.instead = {"a": {"Coins": 7}}, {"post": [503] * 100}
    pauses = Pauses(100)

    with runner(folder, pauses) as worker, pytest.raises(TryLater, match="for an hour: told 503"):
        worker.serve(once=True)

    assert AWAY_SECONDS < pauses.clock() < AWAY_SECONDS + 100


@pytest.mark.parametrize("moment", ["ask", "load"])
def test_changed_folder_ends_the_runner(site: Site, folder: Path, moment: str) -> None:
    """The lease is given back, and nothing is posted that another version scored."""
    site.results = {"a": {"Coins": 7}}
    before = load_own(folder).version
    site.instead = {moment: [lambda: (folder / "truth.json").write_bytes(b"3")]}

    done = laurel("work", str(folder), *NONE, token="t")

    assert done.exit_code == FAILED
    assert f"expected version {before}, found {load_own(folder).version}" in str(done.exception)
    assert (len(site.said("release")), site.said("post")) == (1, [])


def test_changed_folder_asks_for_nothing(site: Site, folder: Path) -> None:
    """Not even once."""
    with runner(folder, Pauses(1)) as worker:
        (folder / "truth.json").write_bytes(b"3")
        with pytest.raises(CommandError, match="was changed"):
            worker.serve(once=False)

    assert site.requests == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_gives_the_lease_back(site: Site, folder: Path, number: int) -> None:
    """The command then ends as others do after Ctrl-C."""
    site.results, site.instead = {"a": {"Coins": 7}}, {"load": [lambda: os.kill(os.getpid(), number)]}

    done = laurel("work", str(folder), *NONE, token="t")

    assert done.exit_code == 128 + signal.SIGINT
    assert (len(site.said("release")), site.said("post")) == (1, [])


def test_signal_stops_the_run(site: Site, folder: Path, tmp_path: Path) -> None:
    """A second one ends what the first began."""
    begun = tmp_path / "begun"
    site.results = {"a": {"Coins": 7, "until": str(tmp_path / "never"), "begun": str(begun)}}
    interrupt = lambda: wait_for(begun.exists) and os.kill(os.getpid(), signal.SIGINT)  # noqa: E731
    site.instead = {"renew": [interrupt], "release": [interrupt]}

    with runner(folder, Pauses(1)) as worker, pytest.raises(KeyboardInterrupt):
        worker.serve(once=False)

    assert (len(site.said("release")), site.said("post")) == (1, [])


def test_machine_at_fault_gives_the_lease_back(site: Site, folder: Path) -> None:
    """A sandbox that fails, or a result that cannot be loaded, says nothing of the result; the runner goes on."""
    site.results, site.instead = {"a": {"Coins": 7}}, {"load": [503, httpx.ReadError("away")]}
    with runner(folder, Pauses(4)) as worker:
        assert isinstance(worker.sandbox, PlainSandbox)
        worker.sandbox.prefix = ("false",)
        site.instead["ask"] = [None, None, None, lambda: setattr(worker.sandbox, "prefix", ())]
        with pytest.raises(Stop):
            worker.serve(once=False)

    assert (len(site.said("release")), len(site.said("post"))) == (3, 1)


def test_result_that_fails_the_scorer_is_no_end(site: Site, folder: Path) -> None:
    """Its lease ends by itself, so that it counts as a try; the runner goes on."""
    site.results = {"a": {"Coins": 7, "more": "x" * 300}}
    site.instead = {"ask": [None, lambda: site.results.update(a={"Coins": 8})]}

    serve(folder, 2)

    assert not site.said("release")
    assert [posted["outcome"] for posted in site.said("post")] == ["scored"]


@pytest.mark.parametrize(
    ("sandbox", "told"),
    [
        ("bubblewrap", "bubblewrap is not installed: .* elsewhere, as on macOS, expected --sandbox none"),
        ("no-such-program run", "no-such-program does not start: No such file"),
        ("/bin/sh -c 'echo no daemon >&2; exit 1'", "the runner did not start in the sandbox: no daemon"),
        ("", "--sandbox: expected bubblewrap, none or a command, found nothing"),
        ("'", "--sandbox: No closing quotation"),
    ],
)
def test_sandbox_that_is_not_there_is_an_error_before_the_first_ask(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str, told: str
) -> None:
    """A machine that cannot score takes no result, and checks no example."""
    monkeypatch.setenv("PATH", "/nonexistent")

    for command in ("work", "check"):
        with pytest.raises(Exception, match=told):
            raise laurel(command, str(folder), "--sandbox", sandbox, token="t").exception
    assert site.requests == []


@pytest.mark.parametrize("sandbox", [NONE, BANNER])
def test_examples_are_checked_where_results_are_scored(folder: Path, sandbox: tuple[str, str]) -> None:
    """A folder whose script needs this machine's packages is checked without bubblewrap, too."""
    (folder / "examples").mkdir()
    (folder / "examples" / "good.json").write_text('{"Coins": 7}')
    (folder / "examples" / "expected.yaml").write_text("good: {outcome: scored, scores: {Coins: 7, Time: 1.5}}")

    done = laurel("check", str(folder), *sandbox)

    assert (done.exit_code, "all 1 examples as expected" in done.stdout) == (OK, True)


@pytest.mark.parametrize(
    ("changed", "told"),
    [({"runs_on": "platform"}, "expected `runs_on: own` in benchmark.yaml"), ({"salt": None}, "no salt.txt")],
)
def test_only_the_folder_of_an_owner_is_taken(
    site: Site, game: dict[str, Any], write_folder: WriteFolder, changed: dict[str, Any], told: str
) -> None:
    """The platform scores the others itself; without its salt a folder has no version."""
    kept = {key: value for key, value in (game | OWN | changed).items() if value is not None}

    done = laurel("work", str(write_folder(kept, FILES)), *NONE, token="t")

    with pytest.raises(UsageError, match=told):
        raise done.exception
    assert site.requests == []


def test_owner_scores_for_up_to_twelve_hours(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """The platform does not, nor with so much memory."""
    limits = {"timeout_seconds": 43_200, "memory_mib": 65_536}
    folder = write_folder(game | OWN | {"parameters": limits}, FILES)
    longer = yaml.safe_dump(game | OWN | {"parameters": limits | {"timeout_seconds": 43_201}})

    assert limits.items() <= load_own(folder).parameters.model_dump().items()
    (folder / "benchmark.yaml").write_text(longer)
    with pytest.raises(BenchmarkError, match="expected at most 43200 with `runs_on: own`, found 43201"):
        load_own(folder)


def test_own_scorers_of_laurel_have_as_long(
    site: Site, game: dict[str, Any], write_folder: WriteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processor time of the platform bounds no machine of an owner."""
    bounds: list[float] = []
    monkeypatch.setattr(signal, "setitimer", lambda _, seconds, *__: bounds.append(seconds))
    fields = [{"name": "Coins", "at": "/Coins", "type": "int"}, {"name": "Time", "at": "/Time", "type": "float"}]
    table = {"scorer": "fields", "parameters": {"fields": fields}, "runs_on": "own", "salt": "none"}
    folder = write_folder(game | table)
    site.results = {"a": {"Coins": 7, "Time": 2.5}}

    with runner(folder, Pauses(1)) as worker:
        bounds.clear()
        worker.serve(once=True)

    assert [posted["outcome"] for posted in site.said("post")] == ["scored"]
    assert max(bounds) == 43_200
