"""The table of scorers: one row, one file, one name in `benchmark.yaml`."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from scoring_core.scorers.base import ScorerSpec


class _Scorers(Mapping[str, ScorerSpec]):
    """Name → row. A scorer's file is imported when its row is asked for: nobody starts slower for scorers of others."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def __getitem__(self, name: str) -> ScorerSpec:
        if name not in self._names:
            raise KeyError(name)
        kind: ScorerSpec = import_module(f"scoring_core.scorers.{name}.scoring").KIND
        return kind

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


SCORERS: Mapping[str, ScorerSpec] = _Scorers("event_decay", "full_duplex", "squad_v2", "iqa_fusion", "script")
