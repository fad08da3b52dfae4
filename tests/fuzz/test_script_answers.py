"""What comes out of the sandbox may be the script's own: any answer is read within bounds, or refused."""

import base64
import gzip
import json
import tracemalloc
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from scoring_core.errors import EvaluatorError, InvalidResult, SandboxFailure
from scoring_core.metrics.score_type import MetricType, ScoreType
from scoring_core.scorers.script.run import ScriptEnd, ScriptEnded, read_answer
from scoring_core.scorers.script.scoring import read_end
from tests.fuzz.mutations import json_values, mutated_bytes, mutated_json

SCORE_TYPE = ScoreType(
    headers=(MetricType(name="Coins", type="int", min=0, max=100), MetricType(name="Points", type="float"))
)
STDOUTS = [b'{"Coins": 50, "Points": 3.2}', b'{"Coins": -0.0, "Points": 1e308}', b"", b"no\xff"]
TOKENS = [b'"Coins": ', b"NaN", b"1e400", b"101", b"true", b"{", b"}", b"[", b'"', b",", b"\xef\xbb\xbf", b"\x1b[31m"]
BOMB_BYTES = 100_000_000
KEPT_BYTES = 20_000_000


def pack(data: bytes) -> str:
    """Pack bytes as the runner does."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


ANSWER: dict[str, Any] = {
    "ended": "exited",
    "code": 0,
    "signal": None,
    "stdout": pack(STDOUTS[0]),
    "stderr": pack(b"fine"),
    "stderr_dropped_bytes": 0,
    "seconds": 0.1,
    "peak_memory_bytes": 1000,
    "spent": False,
}
ends = st.builds(
    ScriptEnd,
    ended=st.sampled_from(ScriptEnded),
    exit_code=st.none() | st.integers(0, 255) | st.sampled_from([0, 2]),
    signal_number=st.none() | st.integers(0, 70),
    stdout=mutated_bytes(STDOUTS, TOKENS),
    stderr=st.binary(max_size=100),
    stderr_dropped_bytes=st.integers(0, 10**12),
)


@given(ends)
@example(ScriptEnd(ScriptEnded.EXITED, exit_code=0, stdout=b"[" * 100_000))
def test_any_end_is_scores_or_somebodys_fault(end: ScriptEnd) -> None:
    """However a run ended and whatever it printed: scores that fit the columns, the player's error, or the owner's."""
    try:
        scores = SCORE_TYPE.select(read_end(end), exact=True)
    except (InvalidResult, EvaluatorError):
        return

    assert 0 <= scores["Coins"] <= 100
    assert json.dumps(scores, allow_nan=False)


@given(mutated_json([ANSWER]) | json_values)
@example([])
@example({**ANSWER, "stderr_dropped_bytes": "many"})
@example({**ANSWER, "code": {"huge": "x" * 100_000}})
@example({**ANSWER, "seconds": "soon"})
def test_any_answer_is_read_or_is_ours(answer: Any) -> None:
    """An answer that is forged or broken is a failure of the sandbox, or reads as an end like any other."""
    try:
        end = read_answer(answer)
    except SandboxFailure:
        return

    assert len(end.output.ended) < 100
    test_any_end_is_scores_or_somebodys_fault.hypothesis.inner_test(end)  # type: ignore[attr-defined]  # Hypothesis' own


def test_a_bomb_for_an_answer_is_not_unpacked() -> None:
    """A script may answer in the runner's place: what unpacks to more than a run may print is refused, and not held."""
    bomb = pack(bytes(BOMB_BYTES))
    tracemalloc.start()

    try:
        read_answer({**ANSWER, "stdout": bomb})
        refused = False
    except SandboxFailure:
        refused = True
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert refused
    assert peak < KEPT_BYTES
