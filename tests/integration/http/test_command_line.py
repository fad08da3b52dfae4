"""`laurel` as a newcomer types it: what it prints, and the code it exits with."""

import ast
import functools
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.exit_codes import MEANINGS
from cli.main import COMMANDS, app
from cli.sites import announced
from scoring_core import __version__
from storage.keys import head_key
from tests.harness.command_line import Done, type_command
from tests.unit.heads import make_head_of

ROOT = Path(__file__).resolve().parents[3]
QUIZ = ROOT / "benchmarks" / "aic-2025"
HEAVY = {"aws_lambda_powertools", "boto3", "botocore", "click", "moto", "numpy", "pydantic", "pygments"}
"""Libraries that take longer to import than all else that a command of players needs."""


def laurel(*arguments: str | Path, cwd: Path = ROOT) -> Done:
    """Type a command at the root of the repository, or elsewhere."""
    return type_command(*arguments, cwd=cwd)


@pytest.mark.parametrize(
    ("result", "code", "outcome"),
    [
        ('{"question": "1", "text": "TR-V011-4945,5001"}', 0, "scored"),
        ('{"question": "1", "text": "TR-V012-4945,5001"}', 3, "invalid"),
        ('{"question": "1", ', 3, "invalid"),
        ("[1e400]", 3, "invalid"),
        ("", 3, "invalid"),
    ],
)
def test_score_tells_the_outcome_by_its_exit_code(tmp_path: Path, result: str, code: int, outcome: str) -> None:
    """Programs read the exit code, and the JSON says the same."""
    file = tmp_path / "result.json"
    file.write_text(result)

    done = laurel("score", QUIZ, file, "--json")

    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (code, outcome)
    assert done.stderr == ""


def test_score_prints_scores_detail_parts_and_signature(tmp_path: Path) -> None:
    """All that the platform would keep is there, at full precision."""
    file = tmp_path / "result.json"
    file.write_text('{"question": "1", "text": "TR-V011-4945,5001"}')

    answer = json.loads(laurel("score", QUIZ, file, "--json").stdout)

    assert answer["scores"] == {"score": 79.0}
    assert answer["detail"]["per_event_scores"] == [67.5, 90.5]
    assert [part["part"] for part in answer["parts"]] == ["1"]
    assert answer["signature"].startswith("benchmark:aic-2025|version:")


@pytest.mark.parametrize(
    ("command", "folder", "said"),
    [
        ("check", "aic-2025", "found nothing"),
        ("check", "README.md", "found a file"),
        ("check", "docs", "found a folder without benchmark.yaml"),
    ],
)
def test_a_wrong_folder_is_a_usage_error(command: str, folder: str, said: str) -> None:
    """A folder that is no benchmark's is reported with what it is."""
    done = laurel(command, folder, *(["README.md"] if command == "score" else []))

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {folder}: expected a benchmark's folder, such as benchmarks/ID, {said}\n"


def test_score_looks_for_a_result_in_the_folder() -> None:
    """A path that holds within the folder is suggested as it must be typed."""
    done = laurel("score", "benchmarks/aic-2025", "examples/tr-text.json")

    assert done.returncode == 1
    assert "did you mean benchmarks/aic-2025/examples/tr-text.json?" in done.stderr


@pytest.mark.parametrize("name", sorted(path.parent.name for path in ROOT.glob("benchmarks/*/benchmark.yaml")))
def test_every_shipped_benchmark_passes_its_check(name: str) -> None:
    """A benchmark that is shipped tests the platform."""
    done = laurel("check", ROOT / "benchmarks" / name, "--json")

    report = json.loads(done.stdout)
    assert (done.returncode, report["passed"]) == (0, True), report


def test_next_stack_replaces_what_a_killed_one_left(tmp_path: Path) -> None:
    """What is there already is written over; another stack's words are left alone at the end."""
    file = tmp_path / "stack.json"
    file.write_text("half of wh")
    file.chmod(0o644)

    with announced(file, url="http://first", environment={}):
        assert (json.loads(file.read_text())["url"], file.stat().st_mode & 0o777) == ("http://first", 0o600)
        with announced(file, url="http://second", environment={}):
            assert json.loads(file.read_text())["url"] == "http://second"
        with announced(file, url="http://third", environment={}):
            pass

    assert list(tmp_path.iterdir()) == []


def test_the_local_stack_refuses_a_taken_port_clearly(tmp_path: Path) -> None:
    """It says which port, and how to take another."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        command = [sys.executable, "-m", "cli", "local", "--port", str(port)]  # it becomes another program
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 1
    assert f"port {port} is taken" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_the_command_is_installed_under_its_name() -> None:
    """`laurel` alone, as it is typed first, lists every command with the first line of its help."""
    laurel_command = Path(sys.executable).with_name("laurel")

    done = subprocess.run([laurel_command, "--help"], capture_output=True, text=True, timeout=60, check=True)

    words = " ".join(done.stdout.split())
    assert [name for name, command in COMMANDS.items() if f" {name} {command.summary}" not in words] == []


def test_exit_codes_are_in_the_help_and_in_the_docs() -> None:
    """One table says what a script may conclude: the help prints it, and docs/players.md has the same."""
    text = (ROOT / "docs" / "players.md").read_text().partition("### Exit codes")[2].partition("\n## ")[0]
    documented = {int(code): meaning for code, meaning in re.findall(r"^\| (\d+) \| (.+) \|$", text, re.MULTILINE)}

    words = " ".join(laurel("--help").stdout.split())

    assert documented == MEANINGS
    assert [code for code, meaning in MEANINGS.items() if f" {code} {meaning}" not in words] == []


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


def test_help_imports_nothing_but_typer() -> None:
    """The time until a command begins is the time of what it imports: the help takes no other library."""
    done = run_python(
        "import sys, atexit; from cli.start import main; sys.argv = ['laurel', '--help']\n"
        "atexit.register(lambda: print({name for name in sys.modules if sys.modules[name]}, file=sys.stderr))\n"
        "main()"
    )

    imported = {name.partition(".")[0] for name in ast.literal_eval(done.stderr)} - sys.stdlib_module_names
    libraries = {name for name in imported if not name.startswith("_")}
    assert libraries == {"annotated_doc", "cli", "scoring_core", "shellingham", "typer"}  # two of them are Typer's own


@pytest.mark.parametrize(
    ("interrupted", "code"), [("typer", -signal.SIGINT), ("cli.commands.boards", -signal.SIGINT), ("httpcore", 130)]
)
def test_interrupt_prints_nothing(interrupted: str, code: int) -> None:
    """Ctrl-C ends the command without a word, while it imports itself, a command, or already works."""
    done = run_python(
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # which a shell's background ignores
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {interrupted!r}: signal.raise_signal(signal.SIGINT)\n"
        "from cli.start import main; sys.meta_path.insert(0, Interrupt())\n"
        "sys.argv = ['laurel', 'board', 'aic-2025', '--api', 'http://127.0.0.1:9']; main()"
    )

    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_commands_of_players_import_no_aws_and_no_models() -> None:
    """Those that speak HTTP run without the operator's packages, and without the time that pydantic takes."""
    done = run_python(
        "import sys, cli.commands.submissions.submitting, cli.commands.batches, cli.commands.machine\n"
        "print({name.partition('.')[0] for name in sys.modules if sys.modules[name]})"
    )

    assert ast.literal_eval(done.stdout) & HEAVY == set()


def test_board_is_shown_without_models(tmp_path: Path) -> None:
    """A look at a board takes the time of what it imports: neither pydantic nor what defines a benchmark."""
    head = tmp_path / head_key("coins")
    head.parent.mkdir(parents=True)
    head.write_bytes(make_head_of(["Ada", "Bob"]).to_body())
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        done = run_python(
            "import sys, atexit; from cli.start import main\n"
            f"sys.argv = ['laurel', 'board', 'coins', '--api', 'http://127.0.0.1:{server.server_port}']\n"
            "atexit.register(lambda: print('imported', [name for name in sys.modules if sys.modules[name]]))\n"
            "main()"
        )
        server.shutdown()
        thread.join()

    shown, _, imported = done.stdout.partition("imported ")
    assert "Ada" in shown
    modules = set(ast.literal_eval(imported))
    assert {name.partition(".")[0] for name in modules} & HEAVY == set()
    assert modules & {"scoring_core.benchmarks.definition", "storage.boards.models", "rich.markdown"} == set()


def test_commands_of_organisers_run_without_aws_packages() -> None:
    """Publishing and rescoring with an owner's token, boards and checks need none of the extra `operator`."""
    done = run_python(
        "import sys; sys.modules.update(dict.fromkeys(['aws_lambda_powertools', 'boto3', 'botocore']))\n"
        "import cli.commands.benchmarks.new, cli.commands.benchmarks.publishing, cli.commands.benchmarks.scoring\n"
        "import cli.commands.boards, cli.commands.batches, cli.commands.players"
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_version_is_that_of_the_package() -> None:
    """`--version` prints what the package is installed as."""
    assert laurel("--version").stdout == f"laurel {__version__}\n"


@pytest.mark.parametrize(
    ("shell", "words", "completed"),
    [
        ("bash", {"COMP_WORDS": "laurel bo", "COMP_CWORD": "1"}, "board"),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "laurel board --rec"}, "--records"),
        ("fish", {"_TYPER_COMPLETE_ARGS": "laurel wit", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, "withdraw"),
    ],
)
def test_shells_complete_commands_and_options(
    shell: str, words: dict[str, str], completed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shells for which Typer installs completion get commands and their options."""
    for name, value in {"_LAUREL_COMPLETE": f"complete_{shell}", **words}.items():
        monkeypatch.setenv(name, value)

    done = CliRunner().invoke(app, prog_name="laurel")

    assert completed in done.output
