"""What the end of an evaluation script means: every exit, and every way in which stdout is no scores."""

import pytest
from pydantic import ValidationError

from scoring_core.errors import EvaluatorError, InvalidResult, SandboxFailure
from scoring_core.io.limits import MAX_SCRIPT_RESULT_BYTES
from scoring_core.io.text import show_harmless
from scoring_core.scorers.base import ScorerInputs, TicketedRun
from scoring_core.scorers.script import SPEC
from scoring_core.scorers.script.run import Isolation, ScriptEnd, ScriptEnded, ScriptParameters
from scoring_core.scorers.script.scoring import read_end


def exited(code: int, stdout: bytes = b"", stderr: bytes = b"", dropped: int = 0) -> ScriptEnd:
    """A run that exited."""
    return ScriptEnd(
        ended=ScriptEnded.EXITED, exit_code=code, stdout=stdout, stderr=stderr, stderr_dropped_bytes=dropped
    )


def test_published_example_is_scored() -> None:
    """The published example is two scores. Source: docs/sources.md, "Score pipeline", stdout."""
    assert read_end(exited(0, b'\n\t {"Coins": 50, "Points": 3.2}\r\n')) == {"Coins": 50, "Points": 3.2}


def test_scorer_gives_one_evaluation_for_the_part_that_the_submission_named() -> None:
    """A script scores the part that it was asked for, and reads it off the name of the result's file."""
    scorer = SPEC.prepare(
        ScorerInputs(
            parameters=ScriptParameters(),
            script=b"",
            run_script=lambda result, result_name="": exited(0, b'{"%s": %d}' % (result_name.encode(), len(result))),
        )
    )

    evaluations = scorer(b"{}", part="level-1")

    assert [(evaluation.part, evaluation.scores, evaluation.detail) for evaluation in evaluations] == [
        ("level-1", {"level-1.json": 2}, {})
    ]


@pytest.mark.parametrize(
    ("stdout", "reason"),
    [
        (b"", "empty"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1e400}', "too large for a double"),
        (b'{"a": %s}' % (b"1" * 5000), "at most 1000"),
        (b'{"a": true}', "the boolean true"),
        (rb'{"\ud800": 1}', "surrogate"),
        (b'{"a": 1, "a": 1}', "twice"),
        (b"[1]", "an array"),
        ('{"a": 1}'.encode("utf-16"), "UTF-8"),
        ('{"a": 1}'.encode("utf-16-le"), "this is UTF-16"),
        (b'{"a": 1} done', "extra data"),
        (b'scores:\n{"a": 1}', "expecting value"),
        (b"[" * 33 + b"]" * 33, "deeper than 32"),
        (b'{"a": 1}\xff', "UTF-8"),
    ],
)
def test_stdout_that_is_no_scores_is_the_owners_error(stdout: bytes, reason: str) -> None:
    """The message says what is wrong with it."""
    with pytest.raises(EvaluatorError, match="stdout: expected one JSON object") as caught:
        read_end(exited(0, stdout))

    assert reason in caught.value.message


def test_integers_are_kept_with_all_their_digits() -> None:
    """Whether they fit is for the metric to say: one of doubles takes those beyond 2^53."""
    assert read_end(exited(0, b'{"a": 9007199254740993}')) == {"a": 2**53 + 1}


def test_exit_2_shows_what_was_printed() -> None:
    """Both streams reach the uploader (docs/sources.md, "Score pipeline", exit codes)."""
    with pytest.raises(InvalidResult) as caught:
        read_end(exited(2, b"level 9\n", b"is none\n"))

    assert caught.value.message == "level 9\nis none"
    assert caught.value.output is not None
    assert (caught.value.output.stdout, caught.value.output.stderr) == ("level 9\n", "is none\n")
    assert caught.value.output.ended == "exited with code 2"


def test_exit_2_in_silence_says_so() -> None:
    """A message is never empty."""
    with pytest.raises(InvalidResult, match="gave no reason"):
        read_end(exited(2))


def test_long_reason_is_cut_between_characters_and_says_so() -> None:
    """A character of two bytes across the cut is removed entirely."""
    with pytest.raises(InvalidResult) as caught:
        read_end(exited(2, b"x" + "é".encode() * 3000))

    assert caught.value.message == "x" + "é" * 1999 + "\n[cut: at least 2001 more bytes]"


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (exited(1), "exited with code 1"),
        (ScriptEnd(ended=ScriptEnded.SIGNALLED, signal_number=11), "was killed by SIGSEGV"),
        (ScriptEnd(ended=ScriptEnded.SIGNALLED, signal_number=40), "was killed by signal 40"),
        (ScriptEnd(ended=ScriptEnded.TIMED_OUT, stdout=b'{"a": 1}'), "ran out of time"),
        (ScriptEnd(ended=ScriptEnded.STDOUT_FULL), "more than 1 MiB"),
        (ScriptEnd(ended=ScriptEnded.MEMORY_FULL), "more memory"),
        (ScriptEnd(ended=ScriptEnded.FILES_FULL), "wrote more to files"),
        (ScriptEnd(ended=ScriptEnded.RUNNER_DIED), "twice"),
    ],
)
def test_every_other_end_is_the_owners_error(end: ScriptEnd, words: str) -> None:
    """The message names how it ended and what was expected."""
    with pytest.raises(EvaluatorError, match="expected exit code 0") as caught:
        read_end(end)

    assert words in caught.value.message
    assert caught.value.output == end.output


def test_stderr_that_was_dropped_is_marked() -> None:
    """The reader is informed that there was more."""
    assert exited(1, stderr=b"words", dropped=7).output.stderr == "words\n[cut: at least 7 more bytes]"


def test_result_that_is_too_large_is_the_players_error_and_runs_nothing() -> None:
    """4 MiB are taken, one byte more is not."""
    runs = list[bytes]()

    def run_script(result: bytes, *, result_name: str = "") -> ScriptEnd:  # as the protocol has it
        runs.append(result)
        return exited(0, b"{}")

    scorer = SPEC.prepare(ScorerInputs(parameters=ScriptParameters(), script=b"", run_script=run_script))
    scorer(bytes(MAX_SCRIPT_RESULT_BYTES))
    with pytest.raises(InvalidResult, match="at most 4194304 bytes, found 4194305"):
        scorer(bytes(MAX_SCRIPT_RESULT_BYTES + 1))

    assert [len(run) for run in runs] == [MAX_SCRIPT_RESULT_BYTES]


def test_script_reads_what_the_run_ticket_says() -> None:
    """As a file beside the result; without a ticket there is none."""
    given = list[bytes | None]()

    def run_script(_: bytes, *, result_name: str = "", run: bytes | None = None) -> ScriptEnd:
        given.append(run)
        return exited(0, b"{}")

    scorer = SPEC.prepare(ScorerInputs(parameters=ScriptParameters(), script=b"", run_script=run_script))
    scorer(b"{}", run=TicketedRun(4.012, "9f86d081884c7d65"))
    scorer(b"{}")

    assert given == [b'{"seconds": 4.012, "seed": "9f86d081884c7d65"}', None]


def test_without_a_sandbox_nothing_is_judged() -> None:
    """No sandbox is neither the player's fault nor the owner's."""
    scorer = SPEC.prepare(ScorerInputs(parameters=ScriptParameters(), script=b""))

    with pytest.raises(SandboxFailure, match="no sandbox"):
        scorer(b"{}")


def test_default_limits_are_the_documented_ones() -> None:
    """The limits of a script without parameters are the documented ones."""
    limits = ScriptParameters()

    assert (limits.timeout_seconds, limits.memory_mib, limits.processes, limits.files_mib) == (30, 512, 32, 64)
    assert ScriptParameters().isolation is Isolation.SHARED


@pytest.mark.parametrize(
    "parameters",
    [
        {"timeout_seconds": float("nan")},
        {"memory_mib": 15},
        {"files_mib": 0},
        {"isolation": "none"},
        {"network": True},
    ],
)
def test_parameters_beyond_the_maxima_are_refused(parameters: dict[str, object]) -> None:
    """So is a key that there is not."""
    with pytest.raises(ValidationError):
        ScriptParameters.model_validate(parameters)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>", "<b>"),
        ("two\nlines\tof text", "two\nlines\tof text"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202eabc", "\\u202eabc"),
        ("a\0b\rc", "a\\x00b\\rc"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("Grüße 你好 🎲 \U0001f468\u200d\U0001f469", "Grüße 你好 🎲 \U0001f468\u200d\U0001f469"),
    ],
)
def test_messages_command_no_terminal(text: str, shown: str) -> None:
    """Control and direction characters become visible; every script stays as it is."""
    assert show_harmless(text) == shown


@pytest.mark.parametrize(
    ("stderr", "hint"),
    [
        (
            b"ModuleNotFoundError: No module named 'metrics'",
            "with scikit-learn; modules of your own belong into a folder evaluate/, with evaluate.py",
        ),
        (
            b"ModuleNotFoundError: No module named 'sklearn.metrics'; 'sklearn' is not",
            "without a sandbox the Python that has `laurel` needs it: `uv tool install --with PACKAGE …`",
        ),
        (
            b"FileNotFoundError: [Errno 2] No such file or directory: '/app/input/ref/truth.json'",
            'the ground truth is beside evaluate.py: Path(__file__).with_name("…"); the result is sys.argv[1]',
        ),
        (
            b"subprocess.CalledProcessError: Command '['-m', 'pip', 'install', 'nltk']' returned",
            "nothing can be installed",
        ),
    ],
)
def test_frequent_exception_is_explained(stderr: bytes, hint: str) -> None:
    """The owner reads what to do about it, after how the script ended; the traceback is kept."""
    end = exited(1, b"", b'Traceback (most recent call last):\n  File "evaluate.py", line 1, in <module>\n' + stderr)

    with pytest.raises(EvaluatorError) as caught:
        read_end(end)

    assert hint in caught.value.message
    assert caught.value.output == end.output


@pytest.mark.parametrize(
    "stderr",
    [
        b"",
        b"KeyError: 'x'",
        b"No module named 'x'",
        b"TypeError: Object of type set",
        b"\xff",
        b"AttributeError: module 'x'",
    ],
)
def test_other_exceptions_are_not_guessed_at(stderr: bytes) -> None:
    """What is not recognised has no advice."""
    with pytest.raises(EvaluatorError) as caught:
        read_end(exited(1, b"", stderr))

    assert caught.value.message.endswith("expected exit code 0 (scored) or 2 (the result is invalid)")
