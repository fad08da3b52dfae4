"""The table of scorers: one row, one file, one name in `benchmark.yaml`."""

from collections.abc import Mapping
from types import MappingProxyType

from scoring_core import event_decay, full_duplex, iqa_fusion, script, squad_v2
from scoring_core.evaluation import ScorerKind

SCORERS: Mapping[str, ScorerKind] = MappingProxyType(
    {kind.name: kind for kind in (event_decay.KIND, full_duplex.KIND, squad_v2.KIND, iqa_fusion.KIND, script.KIND)},
)
