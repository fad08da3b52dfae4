"""Runs a scenario with injected faults, and returns what is lost or doubled in the end."""

import itertools
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from storage.keys import ResultKey
from storage.players.tokens import hash_secret
from tests.faults.faults import Call, Fault, FaultInjector
from tests.faults.sandbox import answer_invocation
from tests.faults.simulation import NeverQuiet, Simulation, SimulationFactory
from tests.faults.state import StateSnapshot, take_snapshot
from tests.faults.steps import Step, run_steps

ANSWERS = {"Invoke": answer_invocation}


class Run(NamedTuple):
    """A finished scenario: its state, its calls, and the errors that show without another run."""

    state: StateSnapshot
    calls: list[Call]
    faults: list[str]

    @property
    def writes(self) -> list[Call]:
        """The calls that change something."""
        return [call for call in self.calls if not call.reads]


def run_scenario(
    simulations: SimulationFactory,
    scenario: tuple[Step, ...],
    plan: Mapping[int, Fault] | None = None,
    *,
    seed: int = 0,
) -> Run:
    """Run a scenario in its own simulation.

    Args:
        simulations: Makes the simulation.
        scenario: The steps.
        plan: Number of a call → its fault.
        seed: The seed of ids, receipts and nonces.

    Raises:
        NeverQuiet: It does not settle.
    """
    injector = FaultInjector(plan or {}, ANSWERS)
    with simulations.simulation(injector, seed=seed) as simulation:
        run_steps(simulation, scenario)
        return close(simulation)


def close(simulation: Simulation) -> Run:
    """Return the run of a finished simulation."""
    return Run(take_snapshot(simulation), list(simulation.injector.calls), find_broken_promises(simulation))


def judge(
    simulations: SimulationFactory, scenario: tuple[Step, ...], clean: Run, plan: Mapping[int, Fault], *, seed: int = 1
) -> list[str]:
    """Return how a run with these faults ends differently from the clean one."""
    try:
        run = run_scenario(simulations, scenario, plan, seed=seed)
    except (NeverQuiet, AssertionError) as error:
        return [f"{_describe(plan, clean)}: {type(error).__name__}: {error}"]
    problems = [*run.state.differences(clean.state), *run.faults]
    problems += [f"mail lost or unexpected: {mail}" for mail in run.state.lost_mails(clean.state)]
    repeats = len(run.state.doubled_mails())
    if repeats > count_excused(run.calls, plan):
        problems.append(f"{repeats} mails repeated")
    if run.state.count_repeated_notices() > clean.state.count_repeated_notices() + repeats * max(1, _largest(clean)):
        problems.append("mailed again in another mail")
    return [f"{_describe(plan, clean)}: {problem}" for problem in problems]


def judge_each(
    simulations: SimulationFactory,
    scenario: tuple[Step, ...],
    clean: Run,
    calls: Iterable[Call],
    faults: Iterable[Fault],
    *,
    share: slice = slice(None),
) -> list[str]:
    """Return how runs end differently from the clean one, each with one of these faults at one of these calls."""
    points = list(itertools.product([call.number for call in calls], faults))[share]
    return [problem for point in points for problem in judge(simulations, scenario, clean, dict([point]))]


def count_excused(calls: list[Call], plan: Mapping[int, Fault]) -> int:
    """Count the faults that may repeat a mail: those between SES and the record of the sending."""
    sent = {call.number for call in calls if call.operation == "SendEmail"}
    excused = 0
    for number, fault in plan.items():
        match fault:
            case Fault.CRASH_AFTER | Fault.UNANSWERED | Fault.REPEATED if number in sent:
                excused += 1
            case Fault.CRASH_BEFORE | Fault.UNREACHED if number - 1 in sent:
                excused += 1
            case _:
                continue
    return excused


def find_broken_promises(simulation: Simulation) -> list[str]:
    """Return every 202 whose result is not stored, or whose receipt does not open it."""
    broken = []
    for submission, receipt in simulation.acknowledged.values():
        stored = next((key for key in simulation.results() if key.submission == submission), None)
        if stored is None:
            broken.append("acknowledged and not stored")
        elif simulation.read_metadata(ResultKey(*stored))["receipt"] != hash_secret(receipt):
            broken.append("the receipt does not open its submission")
    return broken


def _largest(run: Run) -> int:
    return max((len(mail.submissions) for mail in run.state.mails), default=1)


def _describe(plan: Mapping[int, Fault], clean: Run) -> str:
    calls = dict(enumerate(clean.calls))
    return ", ".join(f"{fault} of [{calls.get(number, number)}]" for number, fault in sorted(plan.items()))
