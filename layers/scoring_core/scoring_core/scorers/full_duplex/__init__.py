"""`full_duplex`: how well and how fast a voice system reacts to interruptions and ignores what is not meant for it.

A result is 20 category files, as one JSON object or as a ZIP. There is no ground truth.
"""

from scoring_core.io.strict_models import StrictModel
from scoring_core.scorers.base import ScorerSpec

SCORE_NAMES = (
    "Interruption Total Score",
    "Rejection Total Score",
    "First Response Delay",
    "avg_latency_stop",
    "avg_latency_resp",
    "Total Delay",
)
"""Two percentages and four delays in seconds. Source: docs/sources.md, "Full duplex", section 1."""


class FullDuplexParameters(StrictModel):
    """This scorer has none."""


SPEC = ScorerSpec("full_duplex", FullDuplexParameters, SCORE_NAMES, needs_ground_truth=False, reads=("json", "zip"))
