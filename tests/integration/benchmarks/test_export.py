"""An export: what is in it and never is, what an interruption leaves, and what `laurel verify` finds."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import pytest

from cli.exit_codes import CommandError
from cli.exports.folder import MANIFEST, ExportFolder, describe
from cli.exports.public import PublicExport
from cli.exports.verifying import CLOSE
from storage.players.tokens import Scope
from tests.harness.archives import write_files
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import GOOD, TRUTH, Api, StackHarness, make_benchmark, restart_api

SALT: Final = "5a" * 32
FAIR: Final = {"question": "1", "text": "TR-V017-4945"}
CONTEST: Final[dict[str, Any]] = {
    "review": "score > 78",
    "boards": [{"id": "people", "title": "People", "when": {"kind": "human"}}],
    "windows": ["daily"],
    "submissions": {"per_day": 50},
}


class Told(NamedTuple):
    """What was submitted: what may be exported, what never may, and a token that owns all."""

    public: list[str]
    secret: list[str]
    token: str


@pytest.fixture
def told(api: Api, stack: StackHarness, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> Told:
    """A benchmark with scores that count, and others that are withdrawn, in review, invalid, late or erased."""
    admin = stack.issue_token(make_player("ann", "Ann"), Scope.ADMIN, address="ann@example.com")
    erin = stack.issue_token(make_player("erin", "Erin Erased"), Scope.SUBMIT, address="erin@example.com")
    benchmark = make_benchmark(files={"salt.txt": SALT.encode()}, **CONTEST)
    stack.publish(benchmark)

    def post(result: Any, player: str | None, headers: dict[str, str] | None = None) -> Any:
        query = {"player": player} if player else None
        return api.post(result, query=query, headers=headers or {}).body

    kept = [post(FAIR, "Ada"), post({**FAIR, "text": "TR-V017-4946"}, "Ada"), post(FAIR, "Bea")]
    erased, waits, wrong = post(FAIR, None, erin), post(GOOD, "Ada"), post({"question": "9"}, "Ada")
    gone, other = post(FAIR, "Ada"), post({"question": "9"}, "Ida")
    work()
    api.ask(f"{gone['status_url']}/withdrawal", {"reason": "twice"}, {"Authorization": f"Bearer {gone['receipt']}"})
    api.ask("/api/me/erasure", {"confirm": "erin"}, erin)
    work()
    rules = {"closes": "2020-01-01T00:00:00Z", "submissions": {"late": "scored"}}
    stack.publish(make_benchmark(files={"salt.txt": SALT.encode()}, **{**CONTEST, **rules}))
    restart_api()
    late = post(FAIR, "Ada")
    work()
    connect_commands(api, monkeypatch, stack)
    others = [each["submission"] for each in (erased, waits, wrong, other, late)]
    names = ["Erin", "Ida", "erin@", "ann@", '"ann"', SALT, TRUTH.splitlines()[1], benchmark.salt or ""]
    receipts = [each["receipt"] for each in kept]
    return Told([each["submission"] for each in kept], [*others, *names, *receipts], admin["Authorization"][7:])


def read_text(folder: Path) -> str:
    """Return all that an export holds."""
    return "\n".join(file.read_text("utf-8") for file in sorted(folder.rglob("*")) if file.is_file())


def export(folder: Path, told: Told, *more: str) -> Any:
    """Export with all raw results."""
    return laurel("export", "tiny", str(folder), "--results", *more, token=told.token)


def change(folder: Path, name: str, before: str, after: str) -> None:
    """Change a file, and the manifest too, as one who hides it."""
    file, manifest = folder / name, json.loads((folder / MANIFEST).read_bytes())
    assert before in file.read_text("utf-8")
    file.write_text(file.read_text("utf-8").replace(before, after, 1), "utf-8")
    manifest["files"][name] = describe(file.read_bytes())
    (folder / MANIFEST).write_text(json.dumps(manifest))


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    """The benchmark's folder."""
    return write_files(tmp_path / "tiny", make_benchmark(files={"salt.txt": SALT.encode()}, **CONTEST).files)


def test_export_has_what_is_public_and_nothing_else(told: Told, tmp_path: Path) -> None:
    """No truth, salt, token, address, erased name, nor what is withdrawn, waits, is invalid or came too late."""
    done = export(tmp_path / "all", told)

    assert (done.exit_code, "serves no pages" in done.stderr) == (0, True), done.exception
    text, records = read_text(tmp_path / "all"), (tmp_path / "all" / "records.jsonl").read_text()
    assert [json.loads(line)["submission"] for line in records.splitlines()] == told.public
    assert {file.stem for file in (tmp_path / "all" / "results").iterdir()} == {*told.public}
    assert [secret for secret in told.secret if secret in text] == []
    assert {"main", "people"} < {folder.name for folder in (tmp_path / "all" / "boards").iterdir()}
    assert '"action": "publish"' in text or (tmp_path / "all" / "audit.jsonl").read_text() == ""
    assert laurel("verify", str(tmp_path / "all")).exit_code == 0


def test_killed_export_goes_on(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At whichever write it dies, no manifest is there, and repeated it ends as if nothing had happened."""
    assert export(tmp_path / "whole", told).exit_code == 0
    expected = json.loads((tmp_path / "whole" / MANIFEST).read_bytes())["files"]
    write = ExportFolder.write
    written: list[str] = []

    def die(self: ExportFolder, name: str, content: bytes) -> None:
        if len(written) == death:
            (self.path / f".{name.rpartition('/')[2]}.part").write_bytes(content[:3])
            raise KeyboardInterrupt
        written.append(name)
        write(self, name, content)

    monkeypatch.setattr(ExportFolder, "write", die)
    for death in count():
        written.clear()
        if export(tmp_path / "killed", told).exit_code == 0:
            break
        assert "files" not in (tmp_path / "killed" / MANIFEST).read_text() if death else True
        assert laurel("verify", str(tmp_path / "killed")).exit_code == 1
    assert json.loads((tmp_path / "killed" / MANIFEST).read_bytes())["files"] == expected
    assert [name for name in written if name.startswith("results/")] == []
    assert len(written) == len(expected) - len(told.public) + 2


def test_folder_of_another_export_is_left_alone(told: Told, tmp_path: Path) -> None:
    """An export goes into a new folder, or into its own."""
    (tmp_path / "notes.txt").write_text("mine")
    assert "expected a new or empty folder" in str(export(tmp_path, told).exception)
    assert export(tmp_path / "own", told).exit_code == 0
    with pytest.raises(CommandError, match=r"expected a file of an export, found '\.\./x'"):
        ExportFolder(tmp_path / "new", "houses", "https://example.org").write("../x", b"")
    other = laurel("export", "other", str(tmp_path / "own"), token=told.token)
    assert "expected a new or empty folder" in str(other.exception)
    assert laurel("verify", str(tmp_path / "own")).exit_code == 0


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("boards/main/rows.jsonl", '"rank": 2', '"rank": 1'), "board main: Bea: rank 1; made again it is 2"),
        (("boards/people/rows.jsonl", "16.875", "16.8"), "board people: Bea: score 16.8; made again it is 16.875"),
        (("records.jsonl", '"score": 34.25', '"score": 34.5'), "score 34.5; made again it is 34.25"),
        (("records.jsonl", '34.25}, "detail"', f'{34.25 * (1 + 3 * CLOSE)}}}, "detail"'), " 1: score 34.25"),
        (("boards/main/head.json", "[17.125", "[17.5"), "boards/main/head.json: Ada is not as in rows.jsonl"),
        (("boards/main/rows.csv", "17.125", "17.5"), "boards/main/rows.csv: Ada is not as in rows.jsonl"),
        (("entries.jsonl", "34.25", "34.5"), "its scores in entries.jsonl are not those of records.jsonl"),
        (("records.jsonl", '"kind": "human"', '"kind": "model"'), "board people: Ada: 2 submissions; found 1"),
    ],
)
def test_verify_names_what_was_changed(
    told: Told, truth: Path, tmp_path: Path, edit: tuple[str, str, str], said: str
) -> None:
    """A changed score, rank, row or record is named, also if the manifest is made again."""
    folder = tmp_path / "all"
    export(folder, told)
    sound = laurel("verify", str(folder), str(truth), "--json")
    assert json.loads(sound.stdout) == {"faults": [], "scored_again": 3, "close": 0, "left": 0, "taken_over": 0}

    change(folder, *edit)
    done = laurel("verify", str(folder), str(truth))

    assert (done.exit_code, said in done.stdout) == (1, True), done.stdout


def test_a_row_of_an_earlier_board_is_exported_and_verified(
    told: Told, truth: Path, tmp_path: Path, api: Api, work: Callable[[], None]
) -> None:
    """It is on the main board alone, as it was given; no scorer is asked about it, and no window of its time."""
    query, bearer = {"player": "Old", "taken_over": "2019-05-31"}, {"Authorization": f"Bearer {told.token}"}
    api.ask("/api/benchmarks/tiny/submissions", {"scores": {"score": 99.5}}, bearer, query=query)
    work()
    write = PublicExport._write_board
    with patch.object(PublicExport, "_write_board", autospec=True, side_effect=write) as written:
        export(tmp_path / "all", told)

    done = laurel("verify", str(tmp_path / "all"), str(truth), "--json")

    assert '"Old"' in (tmp_path / "all" / "boards/main/rows.jsonl").read_text()
    assert written.call_count < 6
    assert json.loads(done.stdout) == {"faults": [], "scored_again": 3, "close": 0, "left": 0, "taken_over": 1}


def test_verify_compares_hashes_and_the_version(told: Told, truth: Path, tmp_path: Path) -> None:
    """A changed file and another truth are named; a close number is counted; without truth it says so."""
    folder = tmp_path / "all"
    export(folder, told)
    change(folder, "records.jsonl", '34.25}, "detail"', '34.25000000001}, "detail"')
    close = laurel("verify", str(folder), str(truth), "--json")
    assert json.loads(close.stdout) == {"faults": [], "scored_again": 3, "close": 1, "left": 0, "taken_over": 0}
    assert "hashes only" in laurel("verify", str(folder)).stdout

    (truth / "truth.csv").write_text(TRUTH.replace("4945", "4944"))
    assert "the truth is that of version" in laurel("verify", str(folder), str(truth)).stdout
    unlisted = json.loads((folder / MANIFEST).read_bytes())
    del unlisted["files"]["entries.jsonl"]
    (folder / MANIFEST).write_text(json.dumps(unlisted))
    assert "expected entries.jsonl among the files" in str(laurel("verify", str(folder)).exception)
    (folder / "boards.json").write_text("{}")
    (folder / "records.jsonl").unlink()
    assert {
        "boards.json: differs from what was exported, or is missing",
        "records.jsonl: differs from what was exported, or is missing",
    } <= {line.removeprefix("✗ ") for line in laurel("verify", str(folder)).stdout.splitlines()}
