"""A benchmark moves to another stack: whatever dies on the way, a repeat ends with the same benchmark there."""

import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from fnmatch import fnmatch
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli import progress
from cli.client import ApiError
from cli.commands.benchmarks import publishing
from cli.exports import moving
from cli.exports.folder import LINKS, MANIFEST
from cli.exports.moving import list_pages, send_page
from storage.benchmarks.owners import OwnerStore
from storage.gateway.table import Table
from storage.keys import moving_prefixes
from storage.players.players import SECRET_ITEM, GuestNameStore
from storage.players.tokens import Scope
from tests.faults.faults import CRASHES, Crash, Fault, FaultInjector
from tests.faults.oracle import ANSWERS
from tests.faults.scenarios import HIDDEN, NEAR, WRONG
from tests.faults.simulation import Simulation, SimulationFactory
from tests.faults.steps import Ask, Enrol, Post, Publish, Settle, Step, Wait, Withdraw, authorization, call, run_steps
from tests.harness.archives import zip_files
from tests.harness.command_line import connect_commands, laurel
from tests.harness.stack import COINS, GOOD, make_benchmark

KEY = {"Laurel-Player-Key": f"player_{'1' * 32}"}
ROOT = authorization("root")
PASSING = {"sequence", "generated_at", "beat", "publish_number"}
ZOE = Post("tiny", NEAR, "zoe", guest="Zoë")
MOVING = ("owner#{}", "player#oz", "rescore#{}#*T*", "quota#{}#*#all")
IN_ALL = {"in_all": 5, "anonymous": False}
INDEXED = ("benchmark_player", "failed_benchmark")
PLAY: dict[str, Any] = {"prints": {"Coins": 3, "Time": 1.5}}
STORY: tuple[Step, ...] = (
    Enrol("ada"),
    Publish(make_benchmark(**HIDDEN, parameters={"max_score": 90.0})),
    Post("tiny", GOOD, "ada-1", token="ada"),
    Post("tiny", NEAR, "bea-1", guest="Bea"),
    Post("tiny", GOOD, "cid-1", guest="Cid"),
    Post("tiny", WRONG, "ada-2", token="ada"),
    Settle(),
    Publish(make_benchmark(**HIDDEN)),
    Ask("tiny/rescore", "root"),
    Settle(),
    Withdraw("tiny", "cid-1", "by mistake"),
    Post("tiny", {**NEAR, "question": "2"}, "cid-2", guest="Cid"),
    Ask("tiny/ban", "root", {"name": "Dan", "reason": "copied"}),
    Publish(make_benchmark(COINS)),
    Post("coins", PLAY, "ada-3", token="ada"),
    Post("coins", PLAY, "bea-3", guest="Bea"),
)
"""A contest with two versions, an invalid result, a withdrawal and a ban; and a script's benchmark."""


@contextmanager
def opened(simulations: SimulationFactory, plan: Mapping[int, Fault] | None = None) -> Iterator[Simulation]:
    """Open a stack with an administrator, to which commands speak; what they start is run when they ask how it goes."""
    started: list[tuple[str, Any]] = []

    def answer(request: Mapping[str, Any]) -> dict[str, Any]:
        asked = request["context"]["input_params"]
        if asked.get("InvocationType") != "Event":
            return ANSWERS["Invoke"](request)
        started.append((asked["FunctionName"], json.loads(asked["Payload"])))
        return {"StatusCode": 202}

    with (
        simulations.simulation(FaultInjector(plan or {}, {"Invoke": answer})) as simulation,
        pytest.MonkeyPatch.context() as patch,
    ):

        def get(client: httpx.Client, url: str, ask: Any = progress.get) -> Any:
            while started:
                function, event = started.pop(0)
                simulation.invoke(simulation.template.logical_id_of(function), event)
            simulation.drain()
            return ask(client, url)

        for module in (progress, publishing):
            patch.setattr(module, "get", get)
        patch.setattr(progress, "POLL_SECONDS", 0.0)
        connect_commands(simulation.api, patch, simulation)
        Enrol("root", frozenset({Scope.ADMIN})).act(simulation)
        yield simulation


def type_command(*arguments: str | Path) -> Any:
    """Type a command as the administrator; return what it printed as JSON."""
    done = laurel(*map(str, arguments), "--json", token=ROOT["Authorization"][7:])
    assert done.exit_code == 0, done.exception or done.output
    return json.loads(done.stdout)


def list_benchmarks(simulation: Simulation) -> list[str]:
    """List the benchmarks that everybody sees."""
    return [each["id"] for each in call(simulation, "GET", "/api/benchmarks").body["benchmarks"]]


def unpack(page: Path) -> dict[str, bytes]:
    """Return the files of a page."""
    with zipfile.ZipFile(page) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_board(simulation: Simulation, benchmark: str) -> dict[str, Any]:
    """Read what everybody sees of a benchmark, and its records, but for what depends on when it was rendered."""
    head = json.loads(simulation.read("SiteBucket", f"data/b/{benchmark}/head.json"))
    items = [item for item in simulation.items("SubmissionsTable") if item["benchmark"]["S"] == benchmark]
    rows = call(simulation, "GET", f"/api/benchmarks/{benchmark}/rows").body["rows"]
    shown = {name: value for name, value in head.items() if name not in PASSING}
    for item in simulation.items("AccessTable"):
        items += [item for each in MOVING if fnmatch(item["key"]["S"], each.format(benchmark))]
    return {"head": shown, "rows": rows, "items": sorted(({**item, "moved": 0} for item in items), key=str)}


@pytest.fixture(scope="module")
def moved(simulations: SimulationFactory, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Both benchmarks: the folder, and what is seen of them; of the contest also its final."""
    folder, umask = tmp_path_factory.mktemp("moved"), os.umask(0o022)
    with opened(simulations) as here:
        run_steps(here, STORY)
        assert ZOE.submit(here, KEY).status == 202
        old, row = {"player": "Old", "taken_over": "2019-05-31"}, {"scores": {"score": 60.5}}
        assert here.api.ask("/api/benchmarks/tiny/submissions", row, ROOT, query=old).status == 202
        for prefix in moving_prefixes("tiny")[1:-1]:
            here.cloud.s3.put_object(Bucket=here.name_of("ResultsBucket"), Key=f"{prefix}ada/kept.json", Body=b"{}")
        here.settle()
        for name in ("tiny", "coins"):
            type_command("export", name, folder / name, "--move")
        told = {name: {"folder": folder / name, "seen": read_board(here, name)} for name in ("tiny", "coins")}
        assert {file.stat().st_mode & 0o077 for file in folder.rglob("*")} == {0}
        assert "rescore#" in str(told["tiny"]["seen"]["items"])
        (folder / "tiny/move/._0.zip").write_bytes(b"what a Mac leaves beside a file")
        assert type_command("verify", folder / "tiny")["scored_again"] == 3
        Wait({"hours": 12}).act(here)
        here.settle()
        told["tiny"]["final"] = read_board(here, "tiny")["rows"]
    yield told
    os.umask(umask)


def test_all_moves_and_goes_on(simulations: SimulationFactory, moved: dict[str, Any], tmp_path: Path) -> None:
    """Heads, rows, records and pages are equal; only links are mailed; keys go on; the final comes at its time."""
    with opened(simulations) as there:
        access = Table(there.cloud.dynamodb, there.name_of("AccessTable"))
        access.delete(key=SECRET_ITEM)
        GuestNameStore(access).keep_secrets(b"of this stack")
        for name, told in reversed(moved.items()):
            links = type_command("import", told["folder"])["links"]
            there.settle()
            repeated = type_command("import", told["folder"])
            assert (repeated["rows"], repeated["links"], repeated["failed"]) == (None, links, [])
            assert (told["folder"] / LINKS).stat().st_mode & 0o077 == 0
            (told["folder"] / LINKS).unlink()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(moving, "benchmark_url", "/nowhere/{}".format)
                done = laurel("import", str(told["folder"]), "--json", token=ROOT["Authorization"][7:])
            assert (done.exit_code, [each[:5] for each in json.loads(done.stdout)["failed"]]) == (1, ["ada: "])
            assert len(type_command("import", told["folder"])["links"]) == 1
            assert (read_board(there, name), [link["player"] for link in links]) == (told["seen"], ["ada"])
            type_command("export", name, tmp_path / name, "--move")
            folders = tmp_path / name, told["folder"]
            again, before = ([unpack(page) | {"page.json": b""} for page in list_pages(each)[1:]] for each in folders)
            assert again == before
        assert {(address, "/join#" in text) for address, text in there.sent()} == {("ada@example.com", True)}
        assert ZOE.submit(there, KEY).status == 202
        Wait({"hours": 12}).act(there)
        there.settle()
        final = read_board(there, "tiny")["rows"]
    scores = [{row["name"]: row["scores"] for row in rows} for rows in (final, told["final"], told["seen"]["rows"])]
    assert scores[0] == scores[1] != scores[2]
    assert [row["submissions"] for row in final if row["name"] == "Zoë"] == [2]


def test_public_rows_say_where_they_come_from(
    simulations: SimulationFactory, moved: dict[str, Any], tmp_path: Path
) -> None:
    """An export without what is private is a board that is only read, with the same names, ranks and scores."""
    shutil.copytree(moved["tiny"]["folder"], tmp_path / "out", ignore=shutil.ignore_patterns("move"))
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_bytes())
    manifest["files"] = {name: each for name, each in manifest["files"].items() if not name.startswith("move/")}
    (tmp_path / "out" / MANIFEST).write_text(json.dumps(manifest))
    with opened(simulations) as there:
        assert type_command("import", tmp_path / "out")["rows"] == len(moved["tiny"]["seen"]["rows"])
        there.invoke("RescoreFunction", {"benchmark": "tiny"})
        shown = call(there, "GET", "/api/benchmarks/tiny").body
        rows = read_board(there, "tiny")["rows"]
        refused = Post("tiny", NEAR, "late", guest="Eve").submit(there, {})
    assert "a copy of the rows of http://localhost on 2026-" in shown["archived"]["reason"]
    assert ("This is a copy of" in shown["description"], refused.status) == (True, 403)
    names = ("name", "rank", "scores")
    assert [[row[name] for name in names] for row in rows] == [
        [row[name] for name in names] for row in moved["tiny"]["seen"]["rows"]
    ]


def test_archived_benchmark_stays_archived(simulations: SimulationFactory, tmp_path: Path) -> None:
    """It is as it was and listed nowhere, and nobody gets a link; its owner and tries in all move."""
    with opened(simulations) as here:
        run_steps(here, (Enrol("ada"), Enrol("oz"), Publish(make_benchmark(submissions=IN_ALL))))
        run_steps(here, (Post("tiny", GOOD, "ada-1", token="ada"), Settle()))
        OwnerStore(Table(here.cloud.dynamodb, here.name_of("AccessTable"))).claim("tiny", player="oz")
        Publish(make_benchmark(parameters={"max_score": 50.0})).act(here)
        Ask("tiny/archive", "root", {"reason": "over"}).act(here)
        here.invoke("RescoreFunction", {"benchmark": "tiny"})
        seen = read_board(here, "tiny")
        type_command("export", "tiny", tmp_path / "out", "--move")
    assert len(seen["items"]) == 4
    with opened(simulations) as there:
        assert type_command("import", tmp_path / "out")["links"] == []
        moved = read_board(there, "tiny")  # scored under the next version meanwhile
        assert [item for item in seen["items"] if item not in moved["items"]] == []
        assert ({**moved, "items": seen["items"]}, list_benchmarks(there)) == (seen, [])


@pytest.mark.parametrize("name", ["coins", pytest.param("tiny", marks=pytest.mark.long)])
def test_death_at_any_write_is_made_up_for(simulations: SimulationFactory, moved: dict[str, Any], name: str) -> None:
    """Nothing is listed before all of it is there; moved in again, the benchmark is what it would have been."""
    told, crashes = moved[name], 0
    with opened(simulations) as there:
        type_command("import", told["folder"])
        calls = [each for each in there.injector.calls if each.function == "PublishFunction" and not each.reads]
    points = [*product(CRASHES, [each.number for each in calls])][:: 3 if name == "coins" else 1]
    for fault, number in points:
        with opened(simulations, {number: fault}) as there:
            with suppress(Crash):
                type_command("import", told["folder"])
            crashes += there.crashes
            is_done = list_benchmarks(there) == [name]
            assert not is_done or read_board(there, name) == told["seen"]
            type_command("import", told["folder"])
            there.settle()
            assert (list_benchmarks(there), read_board(there, name)) == ([name], told["seen"]), (number, fault)
    assert 2 * crashes > len(points)


def test_what_does_not_fit_is_rejected(simulations: SimulationFactory, moved: dict[str, Any]) -> None:
    """A page out of its turn or of another export, of a newer form, too large, with items of others; a used id."""
    first, second, *_ = list_pages(moved["coins"]["folder"])
    own, items = unpack(first), ('{"key": {"S": "token#a"}}', '{"key": {"S": "player#a"}, "player": {"S": "b"}}')
    indexed = [json.dumps({"benchmark": {"S": "coins"}, name: {"S": "tiny#a"}}) for name in INDEXED]
    foreign = [zip_files(own | {"items.jsonl": item.encode()}) for item in (*items, *indexed)]
    other = own | {"page.json": own["page.json"].replace(b'"published_at":"20', b'"published_at":"19')}
    skipped = {"benchmarks/coins/current.json": b"no comment", "results/coins/a": b"no comment"}
    guest = b'{"key": {"S": "player#guest-a1b2c3"}, "player": {"S": "guest-a1b2c3"}, "name": {"S": "root"}}'
    tiny = list_pages(moved["tiny"]["folder"])[0].read_bytes()
    with opened(simulations) as there, httpx.Client(base_url="http://localhost", headers=ROOT) as client:
        Publish(make_benchmark(parameters={"max_score": 50.0})).act(there)
        for name, page, said in (
            ("coins", second.read_bytes(), "expected the first page of its move"),
            ("coins", zip_files({"page.json": b'{"form": 99999}'}), "newer code wrote it"),
            ("coins", zip_files(own | {"large/coins/a": bytes(64_000_001)}), "expected at most 64000000 bytes"),
            *(("coins", page, "expected items of coins") for page in foreign),
            ("coins", zip_files(own | skipped | {"items.jsonl": guest}), ""),
            ("coins", zip_files(other), "another export began"),
            ("coins", tiny, "expected a page of coins, found one of tiny"),
            ("coins", b"no ZIP", "expected a page of a move"),
            ("tiny", tiny, "expected no benchmark of this id"),
        ):
            with pytest.raises(ApiError, match=said) if said else nullcontext():
                send_page(client, name, page)
        assert "root ·a1b2c3" in str(there.items("AccessTable"))
        assert list_benchmarks(there) == ["tiny"]
