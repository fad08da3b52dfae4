"""The sandbox of one machine as its callers meet it: what is shared, what is replaced, and what failing looks like."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.cloud import Engine
from engine.mails import INVOCATIONS, Functions, run_by_socket
from engine.messages import Messages
from engine.store import Store
from local.functions import FunctionError, Interrupted
from local.work.dispatcher import Dispatcher
from local.work.invocations import InvocationPoller, serve_functions
from sandbox.bubblewrap import Sandbox
from sandbox.cgroup import Cgroup, make_cgroup
from scoring_core.errors import SandboxFailure
from scoring_core.io.limits import MAX_SCRIPT_RESULT_BYTES
from scoring_core.scorers.script import MAX_GROUND_TRUTH_BYTES
from scoring_core.scorers.script.run import (
    Isolation,
    RunScript,
    ScriptEnd,
    ScriptEnded,
    ScriptParameters,
    ScriptRun,
    read_answer,
)
from storage.gateway.errors import Busy
from storage.gateway.functions import Invoked
from tests.harness.processes import adopt_orphans, living_below
from tests.harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="NOTHING OF THE SANDBOX IS TESTED: apt-get install bubblewrap"
)

# When process 1 of its namespace was started: the same for all runs of one runner, and for no other's.
WHICH_RUNNER = b'print(open("/proc/1/stat").read().rpartition(")")[2].split()[19])'
KILLED_ON_1 = b"import json, os, sys\nif json.load(open(sys.argv[1])): os.kill(os.getpid(), 9)\n"
KILLED_SHARE = 0.3
GONE_SECONDS = 5.0


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A sandbox that is closed after the test."""
    with Sandbox() as sandbox:
        yield sandbox


def script_of(sandbox: Sandbox, script: bytes, version: str = "version", **parameters: object) -> RunScript:
    """What runs this script."""
    limits = ScriptParameters.model_validate({"timeout_seconds": 20, **parameters})
    return sandbox.for_benchmark(version, script=script, ground_truth=None, parameters=limits)


def event_of(script: bytes, **parameters: object) -> dict[str, object]:
    """The event that the sandbox function of the cloud would get."""
    return ScriptRun(script=script, result=b"{}", limits=ScriptParameters.model_validate(parameters)).to_event()


def test_script_gets_its_result_and_its_ground_truth(sandbox: Sandbox) -> None:
    """The result's path is the one argument; the ground truth is beside the script under its own name."""
    script = b"""
import os, sys
print(sys.argv[1:] == [path for path in sys.argv[1:] if open(path).read() == '{"coins": 3}'], len(sys.argv))
print(open(os.path.join(os.path.dirname(__file__), "levels.json")).read())
"""
    run = sandbox.for_benchmark(
        "version", script=script, ground_truth=("levels.json", b"[1, 2]"), parameters=ScriptParameters()
    )

    end = run(b'{"coins": 3}')

    assert (end.ended, end.exit_code, end.stdout) == (ScriptEnded.EXITED, 0, b"True 2\n[1, 2]\n")
    assert end.seconds > 0
    assert end.peak_memory_bytes > 1 << 20


def test_largest_ground_truth_lies_beside_a_script_with_the_least_memory(sandbox: Sandbox) -> None:
    """What the publisher lets pass also fits the sandbox, run after run."""
    parameters = ScriptParameters(memory_mib=16, files_mib=1)
    truth = ("truth.bin", bytes(MAX_GROUND_TRUTH_BYTES))
    script = b"import os; print(os.path.getsize(os.path.dirname(__file__) + '/truth.bin'))"
    run = sandbox.for_benchmark("version", script=script, ground_truth=truth, parameters=parameters)

    ends = [run(bytes(MAX_SCRIPT_RESULT_BYTES)) for _ in range(2)]

    assert [(end.ended, end.stdout) for end in ends] == [(ScriptEnded.EXITED, b"67108864\n")] * 2


def test_time_of_a_run_is_that_of_the_clock(sandbox: Sandbox) -> None:
    """Threads that compute at once do not shorten it."""
    end = script_of(sandbox, b"import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[0])")(b"{}")

    assert int(end.stdout) > 20 * (os.cpu_count() or 1)


def test_reading_leaves_no_note(sandbox: Sandbox) -> None:
    """When a run read the ground truth, the script or their folder is nothing that a later one can see."""
    script = b"""
import os
folder = os.path.dirname(__file__)
paths = [folder, *sorted(os.path.join(folder, name) for name in ("evaluate.py", "truth.json"))]
print([os.stat(path).st_atime_ns for path in paths])
print(os.listdir(folder), [open(path).read() for path in paths[1:]])
"""
    run = sandbox.for_benchmark(
        "version", script=script, ground_truth=("truth.json", b"1"), parameters=ScriptParameters()
    )

    first, second = run(b"{}"), run(b"{}")

    assert (first.exit_code, first.stdout) == (0, second.stdout)


def test_strict_runs_share_nothing(sandbox: Sandbox) -> None:
    """Each run has a runner of its own, which is gone afterwards."""
    run = script_of(sandbox, WHICH_RUNNER, isolation=Isolation.STRICT)
    before = living_below(os.getpid())

    first, second = run(b"{}"), run(b"{}")

    assert first.stdout != second.stdout
    assert living_below(os.getpid()) == before


def test_versions_share_nothing(sandbox: Sandbox) -> None:
    """Another version's script never meets a runner that served the first."""
    first = script_of(sandbox, WHICH_RUNNER, "one")(b"{}")
    second = script_of(sandbox, WHICH_RUNNER, "two")(b"{}")

    assert first.stdout != second.stdout


def test_runner_outlives_the_thread_that_asked_for_it(sandbox: Sandbox) -> None:
    """What dies with its parent dies with the thread that started it, so that must not be a caller's."""
    run = script_of(sandbox, WHICH_RUNNER)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(run, b"{}").result()

    assert run(b"{}").stdout == first.stdout


def test_random_kills_leave_no_runner_and_a_pool_that_works() -> None:
    """Runs of several versions at once kill themselves or any process of any sandbox, busy or idle: nothing is left."""
    adopt_orphans()
    before = living_below(os.getpid())
    with Sandbox() as sandbox:

        def run_amid_kills(number: int) -> ScriptEnd | SandboxFailure:
            chooser = random.Random(number)  # noqa: S311  # the same choices each time
            victims = sorted(living_below(os.getpid()) - before)
            if victims and chooser.random() < KILLED_SHARE:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chooser.choice(victims), signal.SIGKILL)
            run = script_of(sandbox, KILLED_ON_1 + b"print(1)", f"version-{chooser.randrange(6)}")
            try:
                return run(b"1" if chooser.random() < KILLED_SHARE else b"0")
            except SandboxFailure as error:
                return error

        with ThreadPoolExecutor(3) as pool:
            ends = list(pool.map(run_amid_kills, range(36)))
        afterwards = [script_of(sandbox, b"print(1)", f"version-{number}")(b"0") for number in range(6)]
        idle = len(sandboxes())
    wait_for(lambda: living_below(os.getpid()) <= before)

    assert {end.ended for end in ends if isinstance(end, ScriptEnd)} >= {ScriptEnded.EXITED, ScriptEnded.SIGNALLED}
    assert [end.exit_code for end in afterwards] == [0] * 6
    assert idle == 4
    assert not list(Path("/sys/fs/cgroup").rglob(f"laurel-{os.getpid()}-*"))


def sandboxes() -> list[str]:
    """The commands of what runs below this process, those that are runners."""
    commands = map(command_of, living_below(os.getpid()))
    return [command for command in commands if "serve" in command and not command.startswith("/usr/bin/bwrap")]


def command_of(pid: int) -> str:
    """Return the command of a process; "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.mark.parametrize(
    ("bubblewrap", "words"), [(None, "apt-get install bubblewrap"), ("/bin/false", "could not build")]
)
def test_bubblewrap_that_is_missing_or_fails_is_ours(bubblewrap: str | None, words: str) -> None:
    """Neither the script nor the result is blamed, though both exit with 1; only one of them reports a child."""
    with Sandbox(bubblewrap=bubblewrap) as sandbox, pytest.raises(SandboxFailure, match=words):
        script_of(sandbox, b"raise SystemExit(1)")(b"{}")


def test_missing_interpreter_is_ours() -> None:
    """A sandbox without Python in it judges nobody."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        wrapper = Path(folder, "bwrap")
        wrapper.write_text('#!/bin/bash\nexec bwrap "${@/#*bin\\/python3*//no/python}"\n')
        wrapper.chmod(0o755)
        with Sandbox(bubblewrap=str(wrapper)) as sandbox, pytest.raises(SandboxFailure, match="did not start"):
            script_of(sandbox, b"print(1)")(b"{}")


def test_runner_that_dies_is_tried_once_more_and_is_then_the_scripts_doing() -> None:
    """If two runners died with a script, its owner gets an error, and it is not retried."""
    started = list[str]()

    def fragile(**bounds: int) -> Cgroup | None:
        started.append("")
        return make_cgroup(**bounds)

    with Sandbox(group=fragile) as sandbox:
        script = b"import time; time.sleep(60)"
        with ThreadPoolExecutor(1) as pool:
            pending = pool.submit(script_of(sandbox, script), b"{}")
            for number in (1, 2):
                wait_for(lambda number=number: len(started) == number and zygotes())
                os.kill(zygotes()[0], signal.SIGKILL)
            end = pending.result()

    assert end == ScriptEnd(ended=ScriptEnded.RUNNER_DIED, spent=True)


def zygotes() -> list[int]:
    """Every process 1 of a sandbox below this process that has a warm interpreter."""
    found = []
    for pid in living_below(os.getpid()):
        command = command_of(pid)
        if "serve" in command and "bwrap" not in command and len(living_below(pid)) > 1:
            found.append(pid)
    return found


def test_served_functions_give_a_fresh_run_a_sandbox_of_its_own(sandbox: Sandbox, tmp_path: Path) -> None:
    """Processes beside it run scripts by a socket of its owner alone; strict isolation shares nothing there either."""
    with serve_functions(sandbox, {}, tmp_path) as path:
        client = Functions(Messages(Store()), run_by_socket(str(path)))

        def run(tenant: str = "version-0-0", **options: bool) -> Invoked:
            payload = json.dumps({**event_of(WHICH_RUNNER), **options}).encode()
            return client.ask("sandbox", payload, tenant=tenant)

        shared, fresh = [run(), run()], [run(fresh=True), run(fresh=True)]
        refused = run(tenant="")
        rights = path.stat().st_mode & 0o777

    seen = [read_answer(json.loads(answer.body)).stdout for answer in (*shared, *fresh)]
    assert seen[0] == seen[1]
    assert seen[2] != seen[3]
    assert (refused.error, rights) == ("Unhandled", 0o600)
    with pytest.raises(Busy):
        run()


def test_a_socket_in_a_deep_folder_is_reached(sandbox: Sandbox, tmp_path: Path) -> None:
    """The kernel takes 107 bytes of a path; folders of people are longer."""
    folder = tmp_path.joinpath(*["folder" * 5] * 5)
    folder.mkdir(parents=True)

    with serve_functions(sandbox, {}, folder) as path:
        answer = run_by_socket(str(path))("sandbox", "version-0-0", json.dumps(event_of(b"print('{}')")).encode())

    assert read_answer(json.loads(answer.body)).stdout == b"{}\n"


class Flaky:
    """A function whose first invocations end with these errors."""

    logical_id = "PublishFunction"

    def __init__(self, *errors: FunctionError) -> None:
        self.events: list[Any] = []
        self.errors = list(errors)

    def invoke(self, event: Any) -> None:
        """Take an event."""
        self.events.append(event)
        if self.errors:
            raise self.errors.pop(0)


@pytest.mark.parametrize(
    ("errors", "tries", "stays"),
    [
        ([], 1, False),
        ([FunctionError("the process is gone")], 2, False),
        ([FunctionError("the process is gone")] * 2, 2, False),
        ([Interrupted("the stack is stopping")], 1, True),
    ],
)
def test_asynchronous_invocations_wait_in_the_store(errors: list[FunctionError], tries: int, *, stays: bool) -> None:
    """They are run once more if they fail, and in the next stack if this one ends meanwhile."""
    store = Store()
    function, lines = Flaky(*errors), list[str]()
    clients = Engine(store)
    clients.declare([("AWS::SQS::Queue", INVOCATIONS, {"VisibilityTimeout": 900})], sender="laurel@example.org")
    poller = InvocationPoller(clients.messages, {"laurel-publish": function}, lines.append)
    dispatcher = Dispatcher(store, [poller], woken=threading.Event(), on_error=lines.append)

    clients.functions.start("laurel-publish", b'{"id": 1}')
    step = poller.take(dispatcher.look())
    assert step is not None
    step()

    assert function.events == [{"id": 1}] * tries
    assert poller.take(dispatcher.look()) is None
    clients.messages.release()  # as the next start does
    assert (poller.take(dispatcher.look()) is not None) == stays


def test_everything_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    """Even when that is killed in the middle of a run."""
    adopt_orphans()
    program = tmp_path / "caller.py"
    program.write_text(
        textwrap.dedent("""
        from sandbox.bubblewrap import Sandbox
        from scoring_core.scorers.script.run import ScriptParameters

        script = b"import os, time; os.fork(); open('/tmp/here', 'w'); time.sleep(600)"
        Sandbox().for_benchmark("v", script=script, ground_truth=None, parameters=ScriptParameters())(b"{}")
        """)
    )
    before = living_below(os.getpid())
    caller = subprocess.Popen([sys.executable, str(program)])
    wait_for(lambda: len(living_below(caller.pid)) >= 5)

    caller.kill()
    caller.wait()

    deadline = time.monotonic() + GONE_SECONDS
    while (left := living_below(os.getpid()) - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left


def test_bubblewrap_starts_with_an_empty_environment(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it starts with is what /proc/1/environ shows inside."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")

    script_of(sandbox, b"print(1)")(b"{}")

    environments = []
    for pid in living_below(os.getpid()):
        with contextlib.suppress(PermissionError):  # closed even to this user, who is not root
            environments.append(Path(f"/proc/{pid}/environ").read_bytes())
    if not environments:
        pytest.skip("only root may look into the environment of what bubblewrap runs")
    assert not [text for text in environments if b"AWS_SECRET" in text]


def test_sandbox_is_in_a_control_group_where_one_can_be_made(sandbox: Sandbox) -> None:
    """Its memory and its processes are bounded by the kernel, all together."""
    group = make_cgroup(memory_bytes=1 << 30, processes=8)
    if group is None:
        pytest.skip("this user may make no control group here")
    group.remove()

    end = script_of(sandbox, b"print(open('/proc/self/cgroup').read())")(b"{}")
    groups = [Path(f"/proc/{pid}/cgroup").read_text() for pid in living_below(os.getpid())]

    assert end.exit_code == 0
    assert sum(f"laurel-{os.getpid()}-" in text for text in groups) >= 2


@pytest.mark.parametrize(
    ("name", "ended"),
    [
        ("time_many_children", ScriptEnded.MEMORY_FULL),
        ("time_sockets", ScriptEnded.MEMORY_FULL),
        ("time_sockets_in_flight", ScriptEnded.MEMORY_FULL),
        ("time_locks", ScriptEnded.MEMORY_FULL),
        ("time_empty_files", ScriptEnded.FILES_FULL),
    ],
)
def test_without_a_control_group_memory_is_still_bounded(name: str, ended: ScriptEnded) -> None:
    """The runner sums its children, and the memory of sockets, files and locks, which belongs to no process."""
    script = Path(f"tests/hostile/scripts/{name}.py").read_bytes()
    with Sandbox(group=lambda **_: None) as sandbox:
        end = script_of(sandbox, script, memory_mib=128, files_mib=8)(b"{}")

    assert end.ended is ended


def test_threads_up_to_the_limit_find_room(sandbox: Sandbox) -> None:
    """The address space that the C library puts by for each thread does not count as if it were used."""
    script = b"""
import threading
over = threading.Event()
threads = [threading.Thread(target=over.wait) for _ in range(30)]
for thread in threads:
    thread.start()
over.set()
"""
    end = script_of(sandbox, script)(b"{}")

    assert end.exit_code == 0, end.stderr


def test_groups_of_a_killed_process_are_removed_by_the_next_one(tmp_path: Path) -> None:
    """Whoever is killed removes nothing; the groups of living processes stay, however empty they are."""
    own = make_cgroup(memory_bytes=1 << 30, processes=8)
    if own is None:
        pytest.skip("this user may make no control group here")
    program = tmp_path / "caller.py"
    program.write_text(
        "import sys, time\nfrom sandbox.cgroup import make_cgroup\n"
        "made = make_cgroup(memory_bytes=1 << 30, processes=8)\nprint(*made.folders, flush=True)\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        others = [Path(name) for name in caller.stdout.readline().split()]
        made_beside = make_cgroup(memory_bytes=1 << 30, processes=8)
        beside = [folder.exists() for folder in others]
        caller.kill()
    # Its number may be another process's by now: here it is this one's.
    reused = [folder.with_name(f"laurel-{os.getpid()}-1-{'0' * 12}") for folder in own.folders]
    for folder in reused:
        folder.mkdir()

    made_after = make_cgroup(memory_bytes=1 << 30, processes=8)

    assert others
    assert all(beside)
    assert not [folder for folder in (*others, *reused) if folder.exists()]
    for group in (own, made_beside, made_after):
        assert group is not None
        assert all(folder.exists() for folder in group.folders)
        group.remove()


def test_named_packages_are_warm_before_the_run(sandbox: Sandbox) -> None:
    """They are imported because the source names them; it is parsed for that, and not run."""
    named = script_of(sandbox, b"import sys\nprint('numpy' in sys.modules)\nfrom scipy import stats", "named")
    unnamed = script_of(sandbox, b"import sys\nprint('num' 'py' in sys.modules)", "unnamed")

    assert (named(b"{}").stdout, unnamed(b"{}").stdout) == (b"True\n", b"False\n")


PRINT = b"\nprint('{}')\n"
HARD_TO_WARM = {
    "an import of 1,500 dots": (b"if 0:\n    import numpy" + b".a" * 1500, 256),
    "a comparison of 500,000 numbers": (b"x = " + b"0<" * 500_000 + b"1", 256),
    "500,000 statements and little memory": (b"0;" * 500_000, 16),
}


@pytest.mark.parametrize("name", HARD_TO_WARM)
def test_source_that_is_hard_to_warm_is_the_scripts_own_affair(sandbox: Sandbox, name: str) -> None:
    """Whatever becomes of warming, the run meets it, under its own limits; what it does not reach, not at all."""
    source, memory_mib = HARD_TO_WARM[name]

    end = script_of(sandbox, source + PRINT, memory_mib=memory_mib, timeout_seconds=10)(b"{}")

    assert end.ended in {ScriptEnded.EXITED, ScriptEnded.MEMORY_FULL, ScriptEnded.TIMED_OUT}, end
    if "import" in name:
        assert (end.exit_code, end.stdout, end.spent) == (0, b"{}\n", False)
