"""Runs the whole stack, kills its workers while results are scored, and checks that nothing is lost or doubled.

Run it as `make soak`; LAUREL_SOAK_SECONDS and LAUREL_SOAK_SEED set the duration and the seed. With LAUREL_SOAK_RESTARTS
the whole stack is killed that many times instead, and started again.
"""  # noqa: INP001 — scripts are no package

import os
import secrets
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.faults.restarts import run_restarts  # found only now
from tests.faults.soak import Plan, run_soak
from tests.faults.workload import load_benchmarks

SECONDS = 600
SUBMISSIONS_A_SECOND = 1
PAUSE_SECONDS = 1.5


def main() -> int:
    """Run the soak test, and return 1 if anything was lost or doubled."""
    seconds = float(os.environ.get("LAUREL_SOAK_SECONDS", SECONDS))
    seed = int(os.environ.get("LAUREL_SOAK_SEED", secrets.randbelow(1_000_000)))
    restarts = int(os.environ.get("LAUREL_SOAK_RESTARTS", "0"))
    plan = Plan(
        seconds=seconds,
        submissions=int(seconds * SUBMISSIONS_A_SECOND),
        pause_seconds=seconds / restarts / 2 if restarts else PAUSE_SECONDS,
        seed=seed,
    )
    print_line(f"seed {seed}: {plan.submissions} submissions in {seconds:.0f} s, then until nothing is left to do")
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        with (state / "soak.log").open("w", encoding="utf-8") as file:

            def log(line: str) -> None:
                print(line, file=file, flush=True)

            if restarts:
                tally = run_restarts(plan, kills=restarts, state=state, log=log, benchmarks=load_benchmarks())
            else:
                tally = run_soak(plan, state=state, log=log)
        if tally.faults:
            print_line((state / "soak.log").read_text(encoding="utf-8"))
    print_line(str(tally))
    return 1 if tally.faults else 0


def print_line(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
