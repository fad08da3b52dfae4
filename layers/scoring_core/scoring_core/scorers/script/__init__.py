"""`script`: the benchmark owner's own evaluation script, run in a sandbox.

`run` is one run of the script, as the sandbox is asked for it and answers; `scoring` is what its end means. The script
itself reads the ground truth and the submission.
"""

from scoring_core.io.formats import FORMATS
from scoring_core.scorers.base import ScorerSpec
from scoring_core.scorers.script.run import ScriptParameters

MAX_SCRIPT_BYTES = 1 << 20
MAX_GROUND_TRUTH_BYTES = 64 << 20
"""On one machine the sandbox holds it in memory, in a folder of 128 MiB."""


SPEC = ScorerSpec("script", ScriptParameters, score_names=None, needs_ground_truth=False, reads=tuple(FORMATS))
