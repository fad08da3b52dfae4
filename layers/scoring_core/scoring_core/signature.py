"""How a score was made, in one line: no score without its signature (the idea of sacrebleu)."""

import json
import platform

from scoring_core import __version__
from scoring_core.benchmarks.loading import Benchmark


def make_signature(benchmark: Benchmark) -> str:
    """Give the signature of every score that this benchmark makes under this Python.

    Returns:
        `benchmark:ID|version:HASH|scorer:NAME|PARAMETER:VALUE…|scoring_core:VERSION|python:VERSION`, parameters
        with their defaults and sorted by name.
    """
    parameters = benchmark.parameters.model_dump(mode="json")
    fields = {
        "benchmark": benchmark.definition.id,
        "version": benchmark.version,
        "scorer": benchmark.definition.scorer,
        **{name: json.dumps(parameters[name]).strip('"') for name in sorted(parameters)},
        "scoring_core": __version__,
        "python": platform.python_version(),
    }
    return "|".join(f"{name}:{value}" for name, value in fields.items())
