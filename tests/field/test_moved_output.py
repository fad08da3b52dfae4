"""What a moved program prints never reaches players, who would read the ground truth in it."""

from pathlib import Path

import pytest

from scoring_core.outcome import Outcome
from tests.harness.archives import zip_files
from tests.harness.moved import BUNDLE, CHALLENGE, copy_case, make, score

NOISE = """
import atexit, logging, os, subprocess, sys, threading, time, warnings

def shout(truth):
    print(truth)
    print(truth, file=sys.stderr)
    logging.warning(truth)
    warnings.warn(str(truth))
    os.write(2, str(truth).encode())
    subprocess.run(["/bin/sh", "-c", f"echo {truth} >&2"])
    atexit.register(lambda: print(truth, file=sys.stderr))
    threading.Thread(target=lambda: (time.sleep(0.1), print(truth, file=sys.stderr))).start()
"""
"""A module of a program that prints what it is called with, in every way."""


@pytest.mark.parametrize(
    ("case", "program", "before", "call", "reason"),
    [
        (BUNDLE, "prog/score.py", "res = ", "import noise; noise.shout(ref); ", "ValueError: expected 3 numbers"),
        (
            CHALLENGE,
            "evaluation_script/main.py",
            "import sys",
            "from . import noise; noise.shout(gold); ",
            "AssertionError: expected 4 answers",
        ),
    ],
)
def test_player_reads_nothing_that_a_program_prints(  # noqa: PLR0917  # a row of the table
    case: str, program: str, before: str, call: str, reason: str, tmp_path: Path
) -> None:
    """Of an invalid result the player reads what the program raised, and nothing else."""
    origin = copy_case(case, tmp_path / "origin")
    path = origin / program
    path.write_text(path.read_text().replace(before, call + before))
    (path.parent / "noise.py").write_text(NOISE)
    make(tmp_path / "made", "--from", str(origin))
    result = (zip_files({"answer.json": b"[1, 2]"}), "short.zip") if case == BUNDLE else (b"[1]", "short.json")

    scored = score(tmp_path / "made", *result).judgement

    assert (scored.outcome, scored.message) == (Outcome.INVALID, reason)
    assert scored.output is not None
    assert scored.output.stdout + scored.output.stderr == f"{reason}\n"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("open('/none')", "FileNotFoundError: [Errno 2] No such file or directory: '/none'"),
        ("os._exit(2)", "the program ended itself by os._exit(2)"),
        ("while True: pass", "the program did not end within 2.85 seconds"),
    ],
)
def test_owner_reads_what_a_program_printed_before_it_ended(code: str, reason: str, tmp_path: Path) -> None:
    """Of a fault of the program, or of too long a run, its owner has what it printed on both streams, and why."""
    bundle = copy_case(BUNDLE, tmp_path / "bundle")
    program = bundle / "prog" / "score.py"
    program.write_text(program.read_text().replace("hits = ", f"print('on stdout', flush=True)\n{code}\nhits = "))
    make(tmp_path / "guess", "--from", str(bundle))
    definition = tmp_path / "guess" / "benchmark.yaml"
    definition.write_text(definition.read_text().replace("timeout_seconds: 120", "timeout_seconds: 3"))

    scored = score(tmp_path / "guess", zip_files({"answer.json": b"[1, 2, 3]"}), "result.zip").judgement

    assert scored.outcome is Outcome.EVALUATOR_ERROR
    assert scored.output is not None
    assert "debug: truth" in scored.output.stderr
    assert "on stdout" in scored.output.stderr
    assert scored.output.stderr.endswith(f"{reason}\n")
