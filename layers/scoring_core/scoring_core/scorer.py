"""The table of scorers: one row, one file, one name in `benchmark.yaml`."""

from collections.abc import Mapping
from types import MappingProxyType

from scoring_core.evaluation import ScorerKind

SCORERS: Mapping[str, ScorerKind] = MappingProxyType({})
