"""The scorers, by the name that `benchmark.yaml` gives.

Each is a folder: `__init__` (SPEC and parameters), `ground_truth`, `submission` (what players send) and `scoring`.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from scoring_core.scorers.base import ScorerSpec


class _Scorers(Mapping[str, ScorerSpec]):
    """Name → specification; a scorer is imported when it is asked for, so that a cold start pays for none."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def __getitem__(self, name: str) -> ScorerSpec:
        if name not in self._names:
            raise KeyError(name)
        spec: ScorerSpec = import_module(f"scoring_core.scorers.{name}").SPEC
        return spec

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


SCRIPT_SCORER = "script"
"""The scorer that runs the script of the benchmark's owner."""
FIELDS_SCORER = "fields"
"""The scorer that takes the numbers of the result."""
NEED_PART = frozenset({SCRIPT_SCORER, FIELDS_SCORER})
"""The scorers that score one part at a time, any that is declared: a submission must name it."""
SCORERS: Mapping[str, ScorerSpec] = _Scorers(
    "event_decay", "full_duplex", "squad_v2", "iqa_fusion", "table", FIELDS_SCORER, SCRIPT_SCORER
)
