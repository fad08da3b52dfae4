"""The runner alone, as a Lambda has it: no bubblewrap around it, events in, answers out."""

import base64
import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

BARE = str(Path(sys.executable).resolve())  # without the packages of this environment
# The runner kills what it did not find when it started, so it gets a process namespace. It is not process 1 there.
ALONE = ["bwrap", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc", "--"]
IN_LAMBDA = {"LAMBDA_TASK_ROOT": "/var/task"}
RUNNER = Path(__file__).parents[3] / "functions" / "sandbox" / "runner"

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="NOTHING OF THE RUNNER IS TESTED: apt-get install bubblewrap"
)

type Ask = Callable[..., dict[str, Any]]


def packed(text: str | bytes) -> str:
    """Base64 of gzip."""
    return base64.b64encode(gzip.compress(text.encode() if isinstance(text, str) else text)).decode()


def unpacked(text: str) -> str:
    """And back."""
    return gzip.decompress(base64.b64decode(text)).decode()


def event_of(source: str, content: str = "{}") -> dict[str, Any]:
    """Return an event with this script and result."""
    return {"script": packed(source), "result": {"name": "result.json", "content": packed(content)}}


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """A runner that is asked by keyword: script, result, ground_truth, limits."""
    inputs, scratch = tmp_path / "inputs", tmp_path / "scratch"
    inputs.mkdir()
    scratch.mkdir()
    command = [*ALONE, BARE, "-I", str(RUNNER), "serve", str(inputs), str(scratch)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | IN_LAMBDA
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        assert json.loads(stdout.readline()) == {"ready": True}

        def ask(source: str, content: str = "{}", **rest: Any) -> dict[str, Any]:
            event = {**event_of(source, content), "limits": {"timeout_seconds": 20}, **rest}
            stdin.write(json.dumps(event) + "\n")
            stdin.flush()
            answer: dict[str, Any] = json.loads(stdout.readline())
            return answer

        yield ask
        stdin.close()
    assert not [*scratch.iterdir(), *(path for path in inputs.iterdir() if not path.name.startswith("benchmark-"))]


def test_answer_tells_how_a_run_ended(ask: Ask) -> None:
    """Code, streams, time and memory."""
    answer = ask("import sys; print(open(sys.argv[1]).read()); print('aside', file=sys.stderr)", "[1]")

    assert (answer["ended"], answer["code"], answer["signal"], answer["spent"]) == ("exited", 0, None, False)
    assert (unpacked(answer["stdout"]), unpacked(answer["stderr"])) == ("[1]\n", "aside\n")
    assert answer["seconds"] > 0
    assert answer["peak_memory_bytes"] > 0


def test_spent_runner_refuses(ask: Ask) -> None:
    """Its environment is never used again."""
    ask("while True: pass", limits={"timeout_seconds": 0.2})

    assert ask("print(1)") == {"refused": "spent"}


LISTS_ZYGOTES = """
import os
def parent_of(pid):
    try:
        return int(open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[1])
    except OSError:
        return 0
others = [pid for pid in os.listdir('/proc') if pid.isdigit() and int(pid) != os.getpid()]
print([pid for pid in others if parent_of(pid) == os.getppid()])
"""


def test_fresh_run_has_an_interpreter_of_its_own(ask: Ask) -> None:
    """Otherwise the runs of a script come from one interpreter."""
    shared = [unpacked(ask(LISTS_ZYGOTES)["stdout"]) for _ in range(2)]
    fresh = [unpacked(ask(LISTS_ZYGOTES, fresh=True)["stdout"]) for _ in range(2)]

    assert shared[0] == shared[1]
    assert len({shared[0], *fresh}) == 3
    assert all(zygotes.count(",") == 0 and zygotes != "[]\n" for zygotes in (*shared, *fresh))


def test_folder_that_is_named_as_the_scripts_own_is_wiped_too(ask: Ask) -> None:
    """A name that is known in one of the runner's folders is not known in the other; so is a file beside it."""
    script = "import os, sys; print(os.listdir('..')); os.mkdir('../' + os.path.basename(os.path.dirname(sys.argv[0])))"
    script += "; open('../left', 'w')"

    answers = [ask(script), ask(script)]

    assert [answer["code"] for answer in answers] == [0, 0]
    assert [unpacked(answer["stdout"]).count("'") for answer in answers] == [2, 2]
    assert not any(answer["spent"] for answer in answers)


def test_another_script_gets_an_interpreter_of_its_own(ask: Ask) -> None:
    """What the first imported is not there."""
    ask("import statistics; print(1)")

    answer = ask("import sys; print('statistics' in sys.modules)")

    assert unpacked(answer["stdout"]) == "False\n"


def test_package_that_is_not_there_stops_only_what_imports_it(ask: Ask) -> None:
    """This runner is shown no packages; a script that merely names one runs."""
    named, imported = ask("print('numpy')"), ask("import numpy")

    assert (named["ended"], named["code"]) == ("exited", 0)
    assert "ModuleNotFoundError: No module named 'numpy'" in unpacked(imported["stderr"])


@pytest.mark.parametrize(
    "change",
    [
        {"script": None},
        {"script": "no base64!"},
        {"result": {"name": "result.json", "content": base64.b64encode(b"no gzip").decode()}},
        {"result": {"name": "../result.json", "content": packed("{}")}},
        {"limits": {"colour": 3}},
        {"ground_truth": {"name": "evaluate.py", "content": packed("")}},
        {"ground_truth": {"name": "../outside", "content": packed("")}},
        {"modules": [{"name": "../a.py", "content": packed("")}]},
        {"modules": [{"name": "/a.py", "content": packed("")}]},
        {"modules": [{"name": "evaluate.py", "content": packed("")}]},
        {"modules": [{"name": "a.py"}]},
    ],
)
def test_event_that_is_none_is_a_failure(ask: Ask, change: dict[str, Any]) -> None:
    """It is answered, and nobody's script or result is blamed."""
    answer = ask("print(1)", **change)

    assert "failure" in answer
    assert answer["spent"]


@pytest.mark.parametrize(
    ("names", "truth"),
    [
        (["lib/a.py"], "lib"),
        (["a", "a/b.py"], None),
        (["evaluate.py/b.py"], None),
        (["\U0001f600" * 100 + ".py"], None),
        (["x" * 300], None),
    ],
)
def test_files_that_cannot_be_beside_each_other_fail_the_script(ask: Ask, names: list[str], truth: str | None) -> None:
    """Their owner named them, so it is no fault of the runner's, which goes on with the next script."""
    given = {"ground_truth": {"name": truth, "content": packed("")}} if truth else {}

    answer = ask("print(1)", modules=[{"name": name, "content": packed("")} for name in names], **given)

    assert (answer["ended"], answer["code"], answer["spent"]) == ("exited", 1, False)
    assert "cannot be written beside the other files" in unpacked(answer["stderr"])
    assert ask("print(1)")["code"] == 0


def test_stdout_beyond_its_limit_ends_the_run(ask: Ask) -> None:
    """One mebibyte is kept, one byte more is too much."""
    full, over = ask("print('x' * (2**20 - 1))"), ask("print('x' * 2**20)")

    assert (full["ended"], len(unpacked(full["stdout"]))) == ("exited", 2**20)
    assert (over["ended"], len(unpacked(over["stdout"]))) == ("stdout_full", 2**20)


def test_stderr_beyond_its_limit_is_counted(ask: Ask) -> None:
    """64 KiB are kept, the rest is drained."""
    answer = ask("import sys; sys.stderr.write('x' * 100_000)")

    assert (len(unpacked(answer["stderr"])), answer["stderr_dropped_bytes"]) == (65_536, 34_464)
    assert answer["ended"] == "exited"


def test_handler_answers_as_the_loop_does(tmp_path: Path) -> None:
    """The door for Lambda leads to the same room, where there is one folder for everything and one warm runner."""
    answers = answers_of_handler(tmp_path, "import os; print(sorted(os.environ), os.listdir()); open('left', 'w')")

    assert [unpacked(answer["stdout"]) for answer in answers] == ["['LANG', 'PATH'] []\n"] * 2
    assert [answer["spent"] for answer in answers] == [False, False]


def answers_of_handler(folder: Path, script: str, *, supervisor: str = "", packages: str = "") -> list[dict[str, Any]]:
    """What Lambda's handler answers, twice in one process; with arguments, by a supervisor that is made with them."""
    event = event_of(script)
    own = f"Supervisor(paths, {supervisor}).answer"
    answer = own if supervisor else "lambda event: lambda_handler(event, None)"
    program = (
        f"import sys, json; sys.path.insert(0, {str(RUNNER.parent)!r})\n"
        "from runner import SandboxPaths, Supervisor, lambda_handler\n"
        f"paths = SandboxPaths(inputs={str(folder)!r}, scratch={str(folder)!r}, packages=({packages!r},))\n"
        f"answer = {answer}\n"
        f"print(json.dumps([answer({event!r}) for _ in range(2)]))"
    )
    done = subprocess.run(
        [*ALONE, BARE, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin", "TMPDIR": str(folder), "AWS_SECRET_ACCESS_KEY": "example"} | IN_LAMBDA,
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def test_warming_that_lasts_too_long_is_left_to_the_runs(tmp_path: Path) -> None:
    """Nobody is blamed for it: the runs import for themselves then, if they come to it."""
    endless = tmp_path / "packages" / "numpy"
    endless.mkdir(parents=True)
    (endless / "__init__.py").write_text("while True: pass")

    (tmp_path / "scratch").mkdir()

    answers = answers_of_handler(
        tmp_path / "scratch",
        "if 0:\n    import numpy\nprint(1)",
        supervisor="warm_cpu_seconds=1",
        packages=str(endless.parent),
    )

    assert [answer.get("code") for answer in answers] == [0, 0], answers
    assert not any(answer["spent"] for answer in answers)


@pytest.mark.parametrize("note", ["write_text('1')", "chmod(0o700)", "unlink()", "touch()"])
def test_changed_file_that_was_there_before_spends_the_runner(tmp_path: Path, note: str) -> None:
    """What the runner found in its folder is not wiped, so nothing of it may carry a note to a later run."""
    folder = tmp_path / "before" / "it"
    folder.mkdir(parents=True)
    (folder / "file").write_text("")
    script = f"import os, pathlib\n(pathlib.Path({str(folder)!r}) / 'file').{note}"

    answers = answers_of_handler(tmp_path, script)

    assert (answers[0]["code"], answers[0]["spent"]) == (0, True), unpacked(answers[0]["stderr"])


def test_memory_that_children_share_is_counted_once(ask: Ask) -> None:
    """Six children with one block of shared memory hold it once."""
    shared = "import mmap, os, time\nheld = mmap.mmap(-1, 64 << 20)\nfor at in range(0, 64 << 20, 4096): held[at] = 1\n"
    children = "for _ in range(6):\n  if not os.fork():\n    sum(held[::4096])\n    time.sleep(0.5)\n    os._exit(0)\n"

    answer = ask(f"{shared}{children}for _ in range(6): os.wait()", limits={"timeout_seconds": 20, "memory_mib": 128})

    assert (answer["ended"], answer["code"]) == ("exited", 0)


def test_runner_beside_foreign_processes_does_not_start(tmp_path: Path) -> None:
    """Neither process 1 nor in a Lambda, it would kill every new process of its user."""
    done = subprocess.run(
        [BARE, "-I", str(RUNNER), "serve", str(tmp_path), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )

    assert done.returncode == 1
    assert "a process namespace of its own" in done.stderr


def test_processes_that_were_there_before_survive(tmp_path: Path) -> None:
    """Lambda's own processes may belong to the same user: after a run that left a child, only that is gone."""
    program = (
        f"import subprocess, sys; sys.path.insert(0, {str(RUNNER.parent)!r})\n"
        "before = subprocess.Popen(['sleep', '60'])\n"
        "from runner import SandboxPaths, Supervisor\n"
        f"supervisor = Supervisor(SandboxPaths(inputs={str(tmp_path)!r}, scratch={str(tmp_path)!r}))\n"
        f"answer = supervisor.answer({event_of('import os, time\nif os.fork() == 0: os.setsid(); time.sleep(60)')!r})\n"
        "print(answer['code'], answer['spent'], before.poll())"
    )

    done = subprocess.run(
        [*ALONE, BARE, "-c", program], capture_output=True, text=True, check=False, env=os.environ | IN_LAMBDA
    )

    assert done.stdout == "0 True None\n", done.stderr


def test_signal_of_a_thread_reaches_the_first_one_of_the_run(ask: Ask) -> None:
    """The C library knows the new id of the run's first thread, as after any fork."""
    script = (
        "import signal, threading\n"
        "signal.signal(signal.SIGUSR1, lambda *_: print('here'))\n"
        "main = threading.get_ident()\n"
        "thread = threading.Thread(target=signal.pthread_kill, args=(main, signal.SIGUSR1))\n"
        "thread.start()\nthread.join()"
    )

    answer = ask(script)

    assert unpacked(answer["stdout"]) == "here\n", unpacked(answer["stderr"])


def test_self_test_is_no_run(ask: Ask) -> None:
    """An event with anything else in it is none, and its answer is none of a run."""
    mixed = ask("print(1)", self_test=True)

    assert "self_test" not in mixed
    assert mixed["ended"] == "exited"


def test_run_lies_beside_the_result(ask: Ask) -> None:
    """What a run ticket says is a file that the script reads, of this run alone; the result may not have its name."""
    source = "import pathlib, sys\nfile = pathlib.Path(sys.argv[1]).with_name('run.json')\n"
    source += "print(file.exists() and file.read_text())"

    answers = [ask(source, run=packed('{"seconds": 4.0}')), ask(source)]
    refused = ask(source, run=packed("{}"), result={"name": "run.json", "content": packed("{}")})

    assert [unpacked(answer["stdout"]) for answer in answers] == ['{"seconds": 4.0}\n', "False\n"]
    assert "the result needs a file name other than run.json" in refused["failure"]
