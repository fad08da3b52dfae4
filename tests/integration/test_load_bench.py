"""The bench of the handlers stands on fakes of the stores: they must take what the handlers ask of them today."""

import subprocess
import sys

from tests.integration.laboratory import ROOT

FEW = "from under_load.handlers import measure_handlers; print(measure_handlers(players=3, submissions=60))"


def test_the_handlers_are_measured() -> None:
    """Each handler's answer on the fakes is the right one; what it takes is for the bench to say."""
    done = subprocess.run(
        [sys.executable, "-c", FEW], cwd=ROOT / "bench", capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Costs(post=")
