"""Publishing with a token and no rights of AWS: upload, check in the platform's sandbox, compare-and-swap."""

import io
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from typer.testing import CliRunner

from aggregate.benchmarks import publish, publishing
from aggregate.benchmarks.keeper import BoardKeeper
from api.benchmarks import publications
from cli.commands.benchmarks import publishing as command
from cli.exit_codes import TRY_LATER
from cli.main import app
from sandbox.bubblewrap import Sandbox
from sandbox.runtimes import SHIPPED, hash_locks
from scoring_core.benchmarks.bundle import unpack
from scoring_core.benchmarks.loading import Benchmark, load_folder
from storage.benchmarks.corrections import CorrectionNoteStore
from storage.benchmarks.owners import OwnerStore
from storage.boards.models import HeadFrozen
from storage.boards.rendering.lease import BoardLease
from storage.gateway import clients
from storage.gateway.table import Table
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.harness.archives import write_files, zip_files
from tests.harness.clock import START
from tests.harness.command_line import connect_commands
from tests.harness.factories import make_guest_record, make_player
from tests.harness.stack import (
    COINS,
    EVENTS,
    TRUTH,
    Api,
    InProcess,
    StackHarness,
    make_benchmark,
    make_context,
)

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="it runs scripts: apt-get install bubblewrap")

SCRIPT = """
import json, pathlib, sys
truth = json.loads(pathlib.Path(__file__).with_name("truth.json").read_text())
coins = json.loads(pathlib.Path(sys.argv[1]).read_text())["coins"]
print(json.dumps({"Coins": coins * truth["secret-factor"], "Time": 1.5}))
"""
FILES: dict[str, bytes] = {
    "benchmark.yaml": yaml.safe_dump({**COINS, "ground_truth": "truth.json"}).encode(),
    "evaluate.py": SCRIPT.encode(),
    "truth.json": b'{"secret-factor": 3}',
    "examples/good.json": b'{"coins": 2}',
    "examples/expected.yaml": b"good: {scores: {Coins: 6, Time: 1.5}}",
}
OWN = {"ground_truth": "truth.json", "runs_on": "own"}
SALT = "3f" * 32


@pytest.fixture(autouse=True)
def lambdas(stack: StackHarness, sandbox: Sandbox) -> Iterator[list[str]]:
    """Answers invocations: the sandbox runs scripts, what publishes runs at once. Yields the names of the invoked."""
    invoked: list[str] = []
    publishing = InProcess(publish.lambda_handler, "PublishFunction")

    def answer(params: Any, **_: Any) -> tuple[AWSResponse, dict[str, Any]]:
        (function,) = (
            name
            for name in ("PublishFunction", "SandboxFunction", "SandboxPlainFunction")
            if f"/{stack.template.resources[name].name}/" in params["url"]
        )
        invoked.append(function)
        event = json.loads(params["body"])
        if function == "PublishFunction":
            assert params["headers"]["X-Amz-Invocation-Type"] == "Event"
            with suppress(ConnectionError):  # Lambda has answered before
                publishing.invoke(event)
            return AWSResponse(params["url"], 202, HTTPHeaders(), None), {"StatusCode": 202}
        answered = json.dumps(sandbox.invoke(params["headers"]["X-Amz-Tenant-Id"], event)).encode()
        return AWSResponse(params["url"], 200, HTTPHeaders(), None), {"Payload": io.BytesIO(answered)}

    events = clients.gateway().functions.client.meta.events
    events.register("before-call.lambda.Invoke", answer)
    yield invoked
    events.unregister("before-call.lambda.Invoke", answer)


@pytest.fixture(autouse=True)
def connected(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line speaks to this test's API, and to a store that checks each form."""
    connect_commands(api, monkeypatch, stack)
    monkeypatch.setattr(command, "POLL_SECONDS", 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes the folder of the benchmark `coins`, with some files changed."""

    def write(**changes: bytes) -> Path:
        changed = {name.replace("__", "/", 1): text for name, text in changes.items()}
        return write_files(tmp_path / "coins", FILES | changed)

    return write


def token_of(stack: StackHarness, player: str, *scopes: Scope, benchmarks: tuple[str, ...] = ()) -> str:
    """Make a token, and return its secret."""
    headers = stack.issue_token(make_player(player, player.title(), PlayerKind.MODEL), *scopes, benchmarks=benchmarks)
    return headers["Authorization"].removeprefix("Bearer ")


def laurel(*arguments: str | Path, token: str) -> Any:
    """Type a command."""
    runner = CliRunner(env={"COLUMNS": "200", "LAUREL_TOKEN": token})
    return runner.invoke(app, [str(argument) for argument in arguments])


def left_behind(stack: StackHarness) -> list[str]:
    """List what a publication may leave, but for its report and the quota."""
    keys = [
        key for prefix in ("incoming/", "benchmarks/", "audit/") for key in stack.keys(stack.results_bucket, prefix)
    ]
    items = [item["key"]["S"] for item in stack.items("AccessTable")]
    return [*keys, *(key for key in items if key.startswith(("owner#", "publish#", "sandbox#")))]


def versions_of(stack: StackHarness, prefix: str) -> list[Any]:
    """List every version below a prefix."""
    listed = stack.cloud.s3.list_object_versions(Bucket=stack.results_bucket, Prefix=prefix)
    return [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]


def test_frozen_board_is_published(stack: StackHarness, folder: Callable[..., Path]) -> None:
    """The first head says since when it is frozen; who publishes may count what came."""
    since = datetime(2020, 1, 1, tzinfo=UTC)
    frozen = {**COINS, "ground_truth": "truth.json", "review": {"from": since.isoformat()}}
    written = folder(**{"benchmark.yaml": yaml.safe_dump(frozen).encode()})

    laurel("publish", written, token=token_of(stack, "olga", Scope.ORGANISE))

    assert stack.head("coins").frozen == HeadFrozen(since=since, count=0)


def test_truth_of_an_own_runner_stays_at_home(
    stack: StackHarness, folder: Callable[..., Path], lambdas: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither command nor platform packs it, the command says how to go on, and no sandbox runs what is not there."""
    written = folder(**{"benchmark.yaml": yaml.safe_dump({**COINS, **OWN, "salt": "none"}).encode()})
    packed, pack_all = [], Benchmark.pack
    monkeypatch.setattr(Benchmark, "pack", lambda benchmark: packed.append({*benchmark.files}) or pack_all(benchmark))

    done = laurel("publish", written, token=token_of(stack, "olga", Scope.ORGANISE))

    assert packed[0] == {"benchmark.yaml", "withheld.json"}
    assert all(files == packed[0] for files in packed)
    assert (done.exit_code, lambdas) == (0, ["PublishFunction"])
    assert f"stayed here: try `laurel check {written}`, then `laurel work {written}`" in done.stderr


def test_organiser_creates_and_changes_a_benchmark(
    stack: StackHarness, folder: Callable[..., Path], lambdas: list[str]
) -> None:
    """A token of scope `organise` creates an id and owns it from then on; nobody else's does."""
    token = token_of(stack, "olga", Scope.ORGANISE)

    created = laurel("publish", folder(), token=token)
    changed = laurel("publish", folder(), "--json", token=token)
    stranger = laurel("publish", folder(), token=token_of(stack, "ben", Scope.ORGANISE))

    published = stack.aggregator.benchmarks.current("coins", fresh=True)
    assert (created.exit_code, created.stdout) == (0, f"coins published, version {published.version}\n")
    assert json.loads(changed.stdout)["changed"] is False
    assert lambdas == ["PublishFunction", "SandboxFunction"] * 2
    assert "expected a token with the scope `own` on coins" in str(stranger.exception)
    assert stack.head().title == "Coins"
    assert versions_of(stack, "incoming/") == []
    assert [entry.actor.id for entry in stack.trail.list_page(length=1000).entries] == ["olga", "olga"]
    assert {item["player"]["S"] for item in stack.items("AccessTable") if item["key"]["S"] == "owner#coins"} == {"olga"}


def test_runtime_is_one_that_the_platform_has(
    stack: StackHarness, folder: Callable[..., Path], lambdas: list[str]
) -> None:
    """Whatever the owner's machine has, the platform decides, names its own, and pins the one that is published."""
    token = token_of(stack, "olga", Scope.ORGANISE)
    definition = yaml.safe_load(FILES["benchmark.yaml"])

    refused = laurel(
        "publish", folder(**{"benchmark.yaml": yaml.safe_dump({**definition, "runtime": "geo"}).encode()}), token=token
    )
    plain = folder(**{"benchmark.yaml": yaml.safe_dump({**definition, "runtime": "plain"}).encode()})
    published = laurel("publish", plain, token=token)

    assert "runtime: expected one of those here (learning, plain, science), found 'geo'" in refused.stdout
    assert published.exit_code == 0
    assert lambdas == ["PublishFunction", "PublishFunction", "SandboxPlainFunction"]
    current = stack.aggregator.benchmarks.load(stack.aggregator.benchmarks.current("coins", fresh=True))
    assert current.runtime == ("plain", hash_locks(SHIPPED)["plain"])


def test_refused_folder_shows_the_report_and_leaves_nothing(stack: StackHarness, folder: Callable[..., Path]) -> None:
    """The examples run in the platform's sandbox; the owner reads what `laurel check` would print."""
    token = token_of(stack, "olga", Scope.ORGANISE)

    broken = {"examples__crash.json": b"{}", "examples__table.csv": b"a,b"}
    done = laurel("publish", folder(**broken), token=token)

    assert done.exit_code == 1
    assert "coins was not published: 2 of 3 examples failed" in done.stdout
    assert "KeyError: 'coins'" in done.stdout
    assert "✗ table.csv refused" in done.stdout
    assert left_behind(stack) == []


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_examples_that_the_platform_cannot_run_are_for_later(
    stack: StackHarness, folder: Callable[..., Path], options: list[str]
) -> None:
    """A sandbox that is spent each time is nothing that an owner can fix: the exit code says to publish again later."""
    events = clients.gateway().functions.client.meta.events

    def answer(params: Any, **_: Any) -> tuple[AWSResponse, dict[str, Any]] | None:
        if f"/{stack.template.resources['SandboxFunction'].name}/" not in params["url"]:
            return None
        return AWSResponse(params["url"], 200, HTTPHeaders(), None), {"Payload": io.BytesIO(b'{"refused": "spent"}')}

    events.register_first("before-call.lambda.Invoke", answer)
    done = laurel("publish", folder(), *options, token=token_of(stack, "olga", Scope.ORGANISE))
    events.unregister("before-call.lambda.Invoke", answer)

    assert done.exit_code == TRY_LATER
    assert "could not run the examples at this time; publish again" in done.stdout


def test_platform_that_cannot_run_scripts_publishes_none(
    stack: StackHarness, folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner reads what the server lacks, and nothing is published that no result could be scored with."""
    monkeypatch.setenv("UNSUPPORTED_SCORERS", json.dumps({"script": "bubblewrap is not installed"}))

    done = laurel("publish", folder(), token=token_of(stack, "olga", Scope.ORGANISE))

    assert done.exit_code == 1
    expected = (
        "coins was not published: scorer: script: this platform cannot score with it: bubblewrap is not installed"
    )
    assert expected in done.stdout.replace("\n", " ")
    assert left_behind(stack) == []


def test_own_token_publishes_what_it_covers(stack: StackHarness, folder: Callable[..., Path], api: Api) -> None:
    """A token of scope `own` publishes its benchmark, with a reason; those of players and other owners are rejected."""
    before = stack.publish(make_benchmark(COINS).add_salt(SALT))
    record = make_guest_record(before, "Ada", {"coins": 1}, number=1)
    stack.submissions.put_result(record.submission, b"{}")
    own = token_of(stack, "olga", Scope.OWN, benchmarks=("coins",))
    others = [token_of(stack, "ben", Scope.SUBMIT), token_of(stack, "eve", Scope.OWN, benchmarks=("tiny",))]

    rejected = [request_form(api, token).status for token in [*others, ""]]
    unreadable = laurel("publish", folder(), "--reason", " ", token=own)
    done = laurel("publish", folder(), "--reason", "Level 2  was wrong. ", token=own)

    following = stack.aggregator.benchmarks.current("coins", fresh=True).next
    notes = CorrectionNoteStore(
        Table(stack.cloud.dynamodb, stack.template.resources["AccessTable"].name), lambda: START
    )
    assert "reason: expected at least one letter or digit" in str(unreadable.exception)
    assert following is not None
    assert notes.find("coins", version=following.version) == "Level 2 was wrong."
    assert rejected == [403, 403, 401]
    assert (done.exit_code, done.stdout.splitlines()[0].split(",")[0]) == (0, "coins published")
    assert (
        "changed: ground_truth, script evaluate.py, examples/expected.yaml, examples/good.json, ground truth"
        in done.stdout
    )


def request_form(api: Api, token: str, *, benchmark: str = "coins", body: bytes = b'{"bytes": 10}') -> Any:
    """Ask for a form to upload with."""
    return send(api, f"/api/benchmarks/{benchmark}/publications", token, body)


def send(api: Api, path: str, token: str, body: bytes) -> Any:
    """Send a POST."""
    return api.ask(path, body, {"Authorization": f"Bearer {token}"} if token else {})


def upload(stack: StackHarness, api: Api, token: str, bundle: bytes, *, benchmark: str = "coins") -> Any:
    """Ask for a form and store a bundle, as the form allows; return the answer with the form."""
    form = request_form(api, token, benchmark=benchmark, body=json.dumps({"bytes": len(bundle)}).encode()).body
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=form["fields"]["key"], Body=bundle)
    return form


def start(api: Api, form: Any, token: str) -> Any:
    """Start the check of what was uploaded."""
    return send(api, form["start_url"], token, json.dumps({"replaces": form["replaces"]}).encode())


def read(api: Api, form: Any, token: str) -> Any:
    """Read the report."""
    return api.get(form["status_url"], headers={"Authorization": f"Bearer {token}"})


def test_second_of_two_publishers_gets_a_conflict(stack: StackHarness, api: Api, lambdas: list[str]) -> None:
    """An owner who asked for a form before somebody published is told so, before the check and also during it."""
    stack.publish(make_benchmark())
    token = token_of(stack, "olga", Scope.OWN, benchmarks=("tiny",))
    bundle = make_benchmark(title="Mine").pack()
    late, racing = (upload(stack, api, token, bundle, benchmark="tiny") for _ in range(2))
    race = {"late": False}

    def publish_first(**_: Any) -> None:
        if not race["late"]:
            race["late"] = True
            stack.publish(make_benchmark(title="Theirs"))

    events = clients.gateway().functions.client.meta.events
    events.register_first("before-call.lambda.Invoke", publish_first)
    started = start(api, racing, token)
    events.unregister("before-call.lambda.Invoke", publish_first)
    ended, refused = read(api, racing, token).body, start(api, late, token)

    assert (started.status, ended["status"]) == (202, "conflict")
    assert ended["detail"].startswith("tiny: somebody published version")
    assert (refused.status, refused.body["type"]) == (409, "urn:laurel:problem:published-meanwhile")
    assert stack.head("tiny").title == "Theirs"


def publish_before(
    stack: StackHarness, key: str, publish_first: Callable[[], object]
) -> AbstractContextManager[object]:
    """Publish something else between the read of an object and its write, once."""
    name = "provide-client-params.s3.PutObject"
    left = [publish_first]

    def act(params: Any, **_: Any) -> None:
        if params["Key"] == key and left:
            left.pop()()

    @contextmanager
    def acting() -> Iterator[None]:
        stack.cloud.s3.meta.events.register(name, act)
        yield
        stack.cloud.s3.meta.events.unregister(name, act)

    return acting()


def test_publication_delivered_twice_at_once_is_no_conflict_with_itself(stack: StackHarness, api: Api) -> None:
    """Two functions check one publication: the slower one reads that it is published, and reports the same."""
    stack.publish(make_benchmark())
    token = token_of(stack, "olga", Scope.OWN, benchmarks=("tiny",))
    form = upload(stack, api, token, make_benchmark(title="New").pack(), benchmark="tiny")
    publishing_function = InProcess(publish.lambda_handler, "PublishFunction")
    event = {"benchmark": "tiny", "player": "olga", "id": form["publication"], "role": "owner", "replaces": 1}

    with publish_before(stack, "benchmarks/tiny/current.json", lambda: publishing_function.invoke(event)):
        ended = publishing_function.invoke(event)

    assert (ended, read(api, form, token).body["status"]) == ("published", "published")


def test_of_two_who_create_the_same_the_loser_reads_a_conflict(stack: StackHarness, api: Api) -> None:
    """Two players create an id with the same bytes at once: who reads `published` owns it, and nobody else does."""
    tokens = {player: token_of(stack, player, Scope.ORGANISE) for player in ("olga", "ben")}
    bundle = make_benchmark().pack()
    forms = {player: upload(stack, api, token, bundle, benchmark="tiny") for player, token in tokens.items()}
    events = {
        player: {"benchmark": "tiny", "player": player, "id": form["publication"], "role": "owner", "replaces": 0}
        for player, form in forms.items()
    }
    publishing_function = InProcess(publish.lambda_handler, "PublishFunction")

    with publish_before(stack, "benchmarks/tiny/current.json", lambda: publishing_function.invoke(events["ben"])):
        publishing_function.invoke(events["olga"])

    reports = {player: read(api, forms[player], token).body for player, token in tokens.items()}
    owners = [player for player, token in tokens.items() if request_form(api, token, benchmark="tiny").status == 201]
    assert {player: report["status"] for player, report in reports.items()} == {"olga": "conflict", "ben": "published"}
    assert reports["olga"]["detail"].endswith("owns it. Choose another id.")
    assert owners == ["ben"]


def read_quotas(stack: StackHarness) -> list[Any]:
    """Return what was counted of the day's publications."""
    return [item for item in stack.items("AccessTable") if item["key"]["S"].startswith("quota#@publish")]


def test_player_has_two_publications_checked_at_a_time(
    stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third one is rejected until one has ended; repeats and other players are not, and quota is not charged."""
    tokens = {player: token_of(stack, player, Scope.ORGANISE) for player in ("olga", "ben")}
    bundles = {name: make_benchmark(id=name).pack() for name in ("one", "two", "three")}
    forms = {name: upload(stack, api, tokens["olga"], bundle, benchmark=name) for name, bundle in bundles.items()}
    other = upload(stack, api, tokens["ben"], bundles["three"], benchmark="three")

    def die(*_: Any, **__: Any) -> None:
        raise ConnectionError("is still being checked")

    with monkeypatch.context() as slow:
        slow.setattr(publishing.BundlePublisher, "publish", die)
        first = [start(api, forms[name], tokens["olga"]).status for name in ("one", "two", "one")]
        charged = read_quotas(stack)
        third = start(api, forms["three"], tokens["olga"])
        after = read_quotas(stack)
        others = start(api, other, tokens["ben"]).status
    monkeypatch.setattr(publish, "TWO_TRIES", timedelta(0))
    ended = publish.lambda_handler({}, make_context())
    again = start(api, forms["three"], tokens["olga"])

    assert (first, others) == ([202, 202, 202], 202)
    assert (third.status, third.headers["retry-after"]) == (429, "60")
    assert third.body["detail"].startswith("2 publications of yours are still being checked")
    assert charged == after
    assert ended == "published published published"
    assert again.status == 409


DEFINITION = yaml.safe_dump(EVENTS).encode()
GOOD_FILES = {"benchmark.yaml": DEFINITION, "truth.csv": TRUTH.encode()}


@pytest.mark.parametrize(
    ("bundle", "fault"),
    [
        (b"PK\x03\x04 is no ZIP", "the bundle is no sound ZIP"),
        (zip_files({**GOOD_FILES, "../../etc/passwd": b""}), "which is no file of a benchmark"),
        (zip_files({"truth.csv": b""}), "benchmark.yaml: missing"),
        (zip_files({**GOOD_FILES, "benchmark.yaml": DEFINITION.replace(b": tiny", b": big")}), "id: expected 'tiny'"),
        (zip_files({**GOOD_FILES, "benchmark.yaml": b"a: &a [*a]"}), "benchmark.yaml"),
        (zip_files({**GOOD_FILES, "truth.csv": b"id\n"}), "truth.csv"),
    ],
)  # fmt: skip
def test_hostile_bundle_is_refused(stack: StackHarness, api: Api, bundle: bytes, fault: str) -> None:
    """The report names the fault, nothing is published or left behind, and the bundle can be read by nobody."""
    token = token_of(stack, "olga", Scope.ORGANISE)
    form = upload(stack, api, token, bundle, benchmark="tiny")

    started, report = start(api, form, token), read(api, form, token).body

    assert (started.status, report["status"]) == (202, "refused")
    assert fault in report["detail"]
    assert left_behind(stack) == []
    assert versions_of(stack, "incoming/") == []


def test_ground_truth_is_in_no_answer(stack: StackHarness, api: Api) -> None:
    """Neither form nor report has a word of it, and the report is the publisher's alone."""
    benchmark: Benchmark = make_benchmark(COINS, ground_truth="truth.json", files=dict(list(FILES.items())[1:]))
    token = token_of(stack, "olga", Scope.ORGANISE)
    form = upload(stack, api, token, benchmark.pack())

    answers = [form, start(api, form, token).body, read(api, form, token).body]

    assert "secret-factor" not in json.dumps(answers)
    assert read(api, form, token_of(stack, "ben", Scope.ADMIN)).body["status"] == "waiting"
    assert api.get(form["status_url"]).status == 401


def check(api: Api, form: Any, token: str) -> Any:
    """Have what was uploaded checked only, and return the report."""
    send(api, form["start_url"], token, b'{"replaces": null}')
    return read(api, form, token).body


def test_check_says_what_publishing_would_do_and_publishes_nothing(stack: StackHarness, api: Api) -> None:
    """The report has examples, changes and the version that would follow; what is published stays, byte for byte."""
    before = stack.publish(make_benchmark(COINS).add_salt(SALT))
    stack.submissions.put_result(make_guest_record(before, "Ada", {"coins": 1}, number=1).submission, b"{}")
    pointers = versions_of(stack, "benchmarks/")
    token = token_of(stack, "olga", Scope.OWN, benchmarks=("coins",))
    form = upload(stack, api, token, zip_files(FILES))

    report = check(api, form, token)

    assert (report["status"], report["version"], report["changed"]) == ("checked", before.version, True)
    assert report["next"] not in {None, before.version}
    assert {"ground truth truth.json", "script evaluate.py"} <= set(report["changes"])
    assert [example["name"] for example in report["examples"]] == ["good.json"]
    assert (report["salt"], report["publish_number"]) == (None, None)
    assert versions_of(stack, "benchmarks/") == pointers
    assert versions_of(stack, "incoming/") == []
    assert [entry.detail for entry in stack.trail.list_page(length=1000).entries] == [{"check": "only"}]
    assert start(api, form, token).body["status"] == "checked"


def test_check_of_a_new_benchmark_takes_no_id(stack: StackHarness, api: Api) -> None:
    """A check makes nobody an owner: the id is still free for another organiser."""
    tokens = {player: token_of(stack, player, Scope.ORGANISE) for player in ("olga", "ben")}
    bundle = make_benchmark().pack()

    checked = check(api, upload(stack, api, tokens["olga"], bundle, benchmark="tiny"), tokens["olga"])
    form = upload(stack, api, tokens["ben"], bundle, benchmark="tiny")
    start(api, form, tokens["ben"])

    assert (checked["status"], checked["replaced"], checked["changes"]) == ("checked", None, [])
    assert read(api, form, tokens["ben"]).body["status"] == "published"


def draft(api: Api, token: str, **changes: object) -> Any:
    """Ask for the folder of a table."""
    asked = {"solution": "id,y,Usage\n1,2,Public\n2,3,Private\n", "metric": "rmse", **changes}
    return send(api, "/api/benchmarks/tiny/solution", token, json.dumps(asked).encode())


def test_folder_of_a_table_is_made_and_can_be_published(stack: StackHarness, api: Api) -> None:
    """The files are those of `laurel new --from` with a salt, nothing is stored before they are published."""
    token = token_of(stack, "olga", Scope.ORGANISE)

    made = draft(api, token)
    stored = left_behind(stack)
    files = {path: text.encode() for path, text in made.body["files"].items()}
    form = upload(stack, api, token, zip_files(files), benchmark="tiny")
    start(api, form, token)
    report = read(api, form, token).body

    assert (made.status, stored, report["status"]) == (200, [], "published"), report
    assert report["salt"] is None  # the folder has it
    assert "rows: column Usage, now Public, final Private; 0 rows are neither and never scored" in made.body["notes"]


@pytest.mark.parametrize(
    ("changes", "status", "fault"),
    [
        ({"solution": "id,y\n1,2\n2,cat\n"}, 422, "row 3, column y has 'cat'"),
        ({"solution": "id,y\n1,2\n2\n"}, 422, "in row 3 another number of cells"),
        ({"solution": ",".join(map(str, range(2000))) + "\n"}, 422, "expected at most 1000 columns, found 2000"),
        ({"metric": "rsme"}, 422, "metric: expected a metric, found 'rsme'"),
        ({"target": "z"}, 422, "expected a column 'z', found id, y, Usage"),
        ({"solution": "id,y\n" + "1,2\n" * 250_000}, 413, "expected at most 1000000 bytes"),
    ],
)
def test_table_that_is_no_benchmark_is_answered_with_the_place(
    stack: StackHarness, api: Api, changes: dict[str, object], status: int, fault: str
) -> None:
    """Row and column are named; who may not publish there gets no answer about a table."""
    token, other = token_of(stack, "olga", Scope.ORGANISE), token_of(stack, "eve", Scope.SUBMIT)

    answer = draft(api, token, **changes)

    assert (answer.status, draft(api, other).status, draft(api, "").status) == (status, 403, 401)
    assert fault in answer.body["detail"]


def test_check_is_refused_to_who_may_not_publish(stack: StackHarness, api: Api) -> None:
    """A token that does not own the benchmark learns nothing of its files by checking others."""
    stack.publish(make_benchmark())
    owner = token_of(stack, "olga", Scope.OWN, benchmarks=("tiny",))
    form = upload(stack, api, owner, make_benchmark().pack(), benchmark="tiny")

    others = [token_of(stack, "ben", Scope.ORGANISE), token_of(stack, "eve", Scope.OWN, benchmarks=("other",))]

    assert [send(api, form["start_url"], token, b'{"replaces": null}').status for token in others] == [403, 403]
    assert [send(api, form["start_url"], owner, body).status for body in (b"{}", b'{"replaces": -1}')] == [422, 422]


def test_limits_of_publishing(stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes, ids, what was never uploaded, and how often a player may publish."""
    token = token_of(stack, "olga", Scope.ORGANISE)
    sizes = [request_form(api, token, body=json.dumps({"bytes": size}).encode()).status for size in (0, 200_000_001)]
    unknown = request_form(api, token, benchmark="Not-An-Id")
    form = request_form(api, token).body
    unsent = start(api, form, token)
    monkeypatch.setattr(publications, "MAX_PER_DAY", 1)

    exhausted = request_form(api, token)

    assert (sizes, unknown.status, unsent.status) == ([422, 422], 422, 404)
    assert (exhausted.status, "Retry-After".lower() in exhausted.headers) == (429, True)
    assert left_behind(stack) == []


def test_new_board_of_many_results_is_left_to_the_schedule(
    stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What publishes has no time to fold all rows of a new board: it reports, and the schedule begins the board."""
    monkeypatch.setattr(publishing, "BoardKeeper", partial(BoardKeeper, begin_seconds=-1.0))
    published = stack.publish(make_benchmark(salt="none"))
    record = make_guest_record(published, "Ada", {"score": 50.0}, number=1, part="1")
    stack.submissions.put_record(record)
    stack.aggregator.update(published.boards[0].key, [record])
    stack.publish(make_benchmark(salt="none", truth=TRUTH.replace("120", "130")))
    lease = BoardLease(stack.aggregator.standings.table, str(published.boards[0].key), "dead", lambda: START)
    lease.leave_word([record.submission.player.id], nonce="1")
    humans = {"id": "humans", "title": "Humans", "when": {"kind": "human"}}
    token = token_of(stack, "olga", Scope.OWN, benchmarks=("tiny",))
    form = upload(stack, api, token, make_benchmark(salt="none", boards=[humans]).pack(), benchmark="tiny")

    start(api, form, token)

    report = read(api, form, token).body
    assert (report["status"], stack.find_head("tiny", "humans")) == ("published", None)
    BoardKeeper(stack.aggregator).keep(stack.aggregator.benchmarks.current("tiny", fresh=True))
    shown = stack.find_head("tiny", "humans")
    assert shown is not None
    assert shown.total == 1
    assert (stack.rows("tiny").name, lease.find_words()) == (("Ada",), [])

    start(api, upload(stack, api, token, make_benchmark(salt="none").pack(), benchmark="tiny"), token)

    assert stack.find_head("tiny", "humans") is None
    assert [item for item in stack.items("BoardsTable") if "/humans" in item["board"]["S"]] == []


def test_publication_whose_function_died_is_taken_up(
    stack: StackHarness, api: Api, lambdas: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It died after the pointer: its publisher, who owns it then, reads no conflict with the own publication."""
    token = token_of(stack, "olga", Scope.ORGANISE)
    form = upload(stack, api, token, make_benchmark().pack(), benchmark="tiny")

    def die(*_: Any, **__: Any) -> None:
        raise ConnectionError("died after the pointer")

    with monkeypatch.context() as dying:
        dying.setattr(OwnerStore, "claim", die)
        died = [start(api, form, token) for _ in range(2)]
    unfinished = read(api, form, token).body["status"], request_form(api, token, benchmark="tiny").status

    assert publish.lambda_handler({}, make_context()) == ""
    monkeypatch.setattr(publish, "TWO_TRIES", timedelta(0))
    assert publish.lambda_handler({}, make_context()) == "published"

    assert [(answer.status, answer.body["status"]) for answer in died] == [(202, "checking")] * 2
    assert lambdas == ["PublishFunction"]
    assert unfinished == ("checking", 403)
    assert (read(api, form, token).body["status"], request_form(api, token, benchmark="tiny").status) == (
        "published",
        201,
    )
    assert versions_of(stack, "incoming/") == []
    assert OwnerStore(Table(stack.cloud.dynamodb, stack.template.resources["AccessTable"].name)).find("tiny") == "olga"


def find_bytes(stack: StackHarness, text: str) -> list[str]:
    """Return where a text is stored: the keys of objects, bundles opened, and of items."""
    found = []
    for name in (stack.results_bucket, stack.site_bucket):
        for key in stack.keys(name, ""):
            content = stack.cloud.s3.get_object(Bucket=name, Key=key)["Body"].read()
            opened = repr(unpack(content)).encode() if key.endswith(".zip") else content
            found += [key] if text.encode() in opened else []
    tables = stack.template.resources_of("AWS::DynamoDB::Table")
    return found + [str(item) for table in tables for item in stack.items(table) if text in str(item)]


def test_folder_gets_the_salt_that_it_is_published_with(
    stack: StackHarness, folder: Callable[..., Path], capfd: pytest.CaptureFixture[str]
) -> None:
    """It has the version of the site then; the salt is printed and logged nowhere, and stored with the truth alone."""
    token = token_of(stack, "olga", Scope.ORGANISE)

    done = laurel("publish", folder(), token=token)

    salt = (folder() / "salt.txt").read_text().strip()
    published = stack.aggregator.benchmarks.current("coins", fresh=True)
    checked = json.loads(laurel("check", folder(), "--json", token="").stdout)
    scored = laurel("score", folder(), folder() / "examples/good.json", "--json", token="").stdout
    assert (checked["version"], load_folder(folder()).version) == (published.version, published.version)
    assert json.loads(scored)["signature"].split("|")[1] == f"version:{published.version}"
    (report,) = stack.keys(stack.results_bucket, "publications/")
    assert find_bytes(stack, salt) == [published.bundle_key, report]
    assert salt not in "".join((done.stdout, done.stderr, *capfd.readouterr()))
    assert "wrote " in done.stderr


def test_later_publication_takes_the_stored_salt(stack: StackHarness, folder: Callable[..., Path]) -> None:
    """Without another word; only who has every other byte of what is published gets it once more."""
    token = token_of(stack, "olga", Scope.ORGANISE)
    laurel("publish", folder(), token=token)
    file = folder() / "salt.txt"
    salt = file.read_text()
    file.unlink()

    other = laurel("publish", folder(examples__other=b'{"coins": 1}'), token=token)
    is_told = file.exists()
    same = laurel("publish", folder(), "--json", token=token)

    published = stack.aggregator.benchmarks.current("coins", fresh=True)
    assert (is_told, file.read_text()) == (False, salt)
    assert "the one that was published before is used. Copy it" in other.stderr
    assert json.loads(same.stdout)["changed"] is False
    assert load_folder(folder()).version == published.version
    assert [entry.subject for entry in stack.trail.list_page(length=1000).entries] == [published.version] * 3


def test_two_publications_of_one_folder_end_with_one_salt(
    stack: StackHarness, api: Api, folder: Callable[..., Path]
) -> None:
    """The second overtakes the first during its check; both are published, and are told the same salt."""
    token = token_of(stack, "olga", Scope.ORGANISE)
    bundle = load_folder(folder()).pack()
    forms = [upload(stack, api, token, bundle) for _ in range(2)]
    overtaken = []

    def overtake(**_: Any) -> None:
        if not overtaken:
            overtaken.append("during the check")
            start(api, forms[1], token)

    events = clients.gateway().functions.client.meta.events
    events.register_first("before-call.lambda.Invoke", overtake)
    start(api, forms[0], token)
    events.unregister("before-call.lambda.Invoke", overtake)

    views = [read(api, form, token).body for form in forms]
    published = stack.aggregator.benchmarks.current("coins", fresh=True)
    (salt,) = {view["salt"] for view in views}
    assert [(view["status"], view["version"]) for view in views] == [("published", published.version)] * 2
    assert load_folder(folder()).add_salt(salt).version == published.version
    assert (published.publish_number, published.next) == (1, None)
