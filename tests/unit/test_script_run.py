"""The JSON between a caller and the sandbox, and text cut for a message."""

import base64
import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.errors import SandboxFailure
from scoring_core.scorers.script.run import (
    ScriptEnd,
    ScriptEnded,
    ScriptParameters,
    ScriptRun,
    bound_packed_bytes,
    cut_text,
    read_answer,
)

ANSWER = {
    "ended": "exited",
    "code": 0,
    "signal": None,
    "stdout": base64.b64encode(gzip.compress(b"{}")).decode(),
    "stderr": base64.b64encode(gzip.compress(b"")).decode(),
    "stderr_dropped_bytes": 3,
    "seconds": 0.5,
    "peak_memory_bytes": 4096,
    "spent": True,
}


def test_event_holds_everything_that_a_run_needs() -> None:
    """Bytes travel as base64 of gzip, the limits as numbers."""
    run = ScriptRun(
        script=b"pass",
        result=b"{}",
        limits=ScriptParameters(timeout_seconds=3),
        ground_truth=b"[]",
        ground_truth_name="t.json",
    )

    event = run.to_event()

    assert gzip.decompress(base64.b64decode(event["script"])) == b"pass"
    assert event["ground_truth"]["name"] == "t.json"
    assert event["limits"] == {"timeout_seconds": 3, "memory_mib": 512, "processes": 32, "files_mib": 64}


@pytest.mark.parametrize("size", [0, 1, 1000, 100_000, 4 << 20])
def test_packed_size_is_bounded(size: int) -> None:
    """Even of what no gzip makes smaller."""
    empty, full = (
        ScriptRun(script=b"", result=random.Random(1).randbytes(count), limits=ScriptParameters())  # noqa: S311
        for count in (0, size)
    )

    assert len(full.to_payload()) - len(empty.to_payload()) <= bound_packed_bytes(size)


def test_event_without_ground_truth_says_so() -> None:
    """None is not an empty file."""
    run = ScriptRun(script=b"pass", result=b"{}", limits=ScriptParameters())

    assert run.to_event()["ground_truth"] is None


def test_answer_is_read_whole() -> None:
    """Every field has its place."""
    assert read_answer(ANSWER) == ScriptEnd(
        ended=ScriptEnded.EXITED,
        exit_code=0,
        signal_number=None,
        stdout=b"{}",
        stderr=b"",
        stderr_dropped_bytes=3,
        seconds=0.5,
        peak_memory_bytes=4096,
        spent=True,
    )


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"refused": "spent"},
        {"failure": "no room", "spent": True},
        {**ANSWER, "ended": "somehow"},
        {**ANSWER, "stdout": "no base64!"},
        {**ANSWER, "stdout": base64.b64encode(b"no gzip").decode()},
        {**ANSWER, "stdout": None},
        {name: value for name, value in ANSWER.items() if name != "code"},
    ],
)
def test_an_answer_that_is_none_is_ours(answer: dict[str, object]) -> None:
    """Neither the script nor the result is blamed for it."""
    with pytest.raises(SandboxFailure):
        read_answer(answer)


@given(st.text(max_size=60), st.integers(min_value=1, max_value=40))
def test_text_is_cut_between_characters(text: str, limit: int) -> None:
    """What is kept is a beginning of the text, at most so long, and no character is replaced."""
    data = text.encode()

    kept, _, _ = cut_text(data, limit=limit).partition("\n[cut: ")

    if len(data) <= limit:
        assert cut_text(data, limit=limit) == text
    elif "\n[cut: " not in text:
        assert text.startswith(kept)
        assert limit - 4 < len(kept.encode()) <= limit


@given(st.binary(max_size=60), st.integers(min_value=1, max_value=40))
def test_any_bytes_become_text_that_can_be_written(data: bytes, limit: int) -> None:
    """Bytes that are no UTF-8 never stop a message."""
    cut_text(data, limit=limit).encode()
