"""Signatures: the same for the same benchmark, whole, in one line."""

import platform
from typing import Any

import pytest

from scoring_core import __version__
from scoring_core.benchmarks.loading import Benchmark, load_bundle, load_folder
from scoring_core.judgement import make_signature

TRUTH = b"id,type,scene_id,video_id,points\nq1,TR,L1,V1,1-2\n"


@pytest.fixture
def benchmark(game: dict[str, Any], write_folder: Any) -> Benchmark:
    """A benchmark of questions, one of whose parameters is set."""
    game |= {
        "scorer": "event_decay",
        "ground_truth": "truth.csv",
        "parameters": {"max_score": 10},
        "score_type": {"headers": [{"name": "score", "type": "float"}]},
        "ranking": {"by": ["score"]},
    }
    return load_folder(write_folder(game, {"truth.csv": TRUTH}))


def test_signature_lists_every_parameter(benchmark: Benchmark) -> None:
    """Benchmark, version and scorer come first, then every parameter, sorted and with defaults, then what ran it."""
    signature = make_signature(benchmark)

    assert signature == (
        f"benchmark:coin-run|version:{benchmark.version}|scorer:event_decay|aggregation:mean|decay_per_frame:1.0"
        f"|fps:25.0|frame_tolerance:12.0|ground_truth_unit:milliseconds|max_score:10.0|tolerance_ms:null"
        f"|scoring_core:{__version__}|python:{platform.python_version()}"
    )


def test_published_benchmark_has_the_signature_of_its_folder(benchmark: Benchmark) -> None:
    """A published benchmark has the signature of its folder."""
    assert make_signature(load_bundle(benchmark.pack())) == make_signature(benchmark)


def test_fields_are_unique(benchmark: Benchmark) -> None:
    """No field hides another, so a reader may split at | and the first colon."""
    names = [field.split(":", 1)[0] for field in make_signature(benchmark).split("|")]

    assert len(names) == len(set(names)) == 12
