"""Runs the whole stack, kills its workers while results flow, and balances the books.

Run it as `make soak`; LAUREL_SOAK_SECONDS and LAUREL_SOAK_SEED set how long, and by which seed. The exit code tells
whether anything was lost or doubled.
"""  # noqa: INP001 — scripts are no package

import os
import secrets
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.faults.soak import Plan, run_soak  # found only now

SECONDS = 600
SUBMISSIONS_A_SECOND = 1
PAUSE_SECONDS = 1.5


def main() -> int:
    """Soak; give the exit code."""
    seconds = float(os.environ.get("LAUREL_SOAK_SECONDS", SECONDS))
    seed = int(os.environ.get("LAUREL_SOAK_SEED", secrets.randbelow(1_000_000)))
    plan = Plan(
        seconds=seconds, submissions=int(seconds * SUBMISSIONS_A_SECOND), pause_seconds=PAUSE_SECONDS, seed=seed
    )
    tell(f"seed {seed}: {plan.submissions} submissions in {seconds:.0f} s, then as long as it takes to be quiet")
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        with (state / "soak.log").open("w", encoding="utf-8") as file:
            tally = run_soak(plan, state=state, log=lambda line: print(line, file=file, flush=True))
        if tally.faults:
            tell((state / "soak.log").read_text(encoding="utf-8"))
    tell(str(tally))
    return 1 if tally.faults else 0


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
