"""The scorers, by the name that `benchmark.yaml` gives.

Each is a folder: `__init__` (SPEC and parameters), `ground_truth`, `submission` (what players send) and `scoring`.
"""

from importlib import import_module

from scoring_core.scorers.base import ScorerSpec

SCRIPT_SCORER = "script"
"""The scorer that runs the script of the benchmark's owner."""
FIELDS_SCORER = "fields"
"""The scorer that takes the numbers of the result."""
NEED_PART = frozenset({SCRIPT_SCORER, FIELDS_SCORER})
"""The scorers that score one part at a time, any that is declared: a submission must name it."""
SCORERS = ("event_decay", "full_duplex", "squad_v2", "iqa_fusion", "table", FIELDS_SCORER, SCRIPT_SCORER)


def find_scorer(name: str) -> ScorerSpec:
    """Return the specification of one of SCORERS.

    It is imported now, so that a cold start pays for no other.
    """
    spec: ScorerSpec = import_module(f"scoring_core.scorers.{name}").SPEC
    return spec
