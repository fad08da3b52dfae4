"""`script`: the benchmark owner's own evaluation script, run in a sandbox.

`run` is one run of the script, as the sandbox is asked for it and answers; `scoring` is what its end means. The script
itself reads the ground truth and the submission.
"""

from collections.abc import Mapping
from typing import Final

from scoring_core.io.formats import FORMATS
from scoring_core.scorers.base import ScorerSpec
from scoring_core.scorers.script.run import ScriptParameters

MAX_SCRIPT_BYTES = 1 << 20
MAX_GROUND_TRUTH_BYTES = 64 << 20
"""On one machine the sandbox holds it in memory, in a folder of 128 MiB."""
MOST: Final[Mapping[str, Mapping[str, int]]] = {
    "platform": {"timeout_seconds": 120, "memory_mib": 2048},
    "own": {"timeout_seconds": 43_200, "memory_mib": 1 << 20},
}
"""`runs_on` → parameter → what a script may use at most."""
SPEC = ScorerSpec("script", ScriptParameters, score_names=None, needs_ground_truth=False, reads=tuple(FORMATS))
