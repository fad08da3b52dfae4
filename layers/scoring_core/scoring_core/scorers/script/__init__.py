"""`script`: the benchmark owner's own evaluation script, run in a sandbox.

`run` is one run of the script, as the sandbox is asked for it and answers; `scoring` is what its end means. The script
itself reads the ground truth and the submission.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from scoring_core.io.formats import FORMATS
from scoring_core.runtimes import SCIENCE, Runtime
from scoring_core.scorers.base import ScorerSpec
from scoring_core.scorers.script.run import RunScript, ScriptEnd, ScriptLimits, ScriptRun

MAX_SCRIPT_BYTES = 1 << 20
MAX_GROUND_TRUTH_BYTES = 64 << 20
"""On one machine the sandbox holds it in memory, in a folder of 128 MiB."""


class Isolation(StrEnum):
    """Whether the runs of one version share a warm interpreter, or each gets its own."""

    SHARED = "shared"
    STRICT = "strict"


class ScriptParameters(ScriptLimits):
    """The `parameters:` of a benchmark with this scorer.

    Args:
        isolation: Whether runs share an interpreter.
    """

    isolation: Isolation = Isolation.SHARED


class ScriptSandbox(ABC):
    """Runs evaluation scripts: the sandbox functions of the cloud, or bubblewrap on one machine."""

    def for_benchmark(
        self,
        version: str,
        *,
        script: bytes,
        ground_truth: tuple[str, bytes] | None,
        parameters: ScriptParameters,
        modules: Mapping[str, bytes] | None = None,
        runtime: Runtime = SCIENCE,
    ) -> RunScript:
        """Return the runner of one benchmark's script.

        Args:
            version: The benchmark's version; environments are shared within it and never beyond it.
            script: The bytes of `evaluate.py`.
            ground_truth: Name and bytes of the file beside it, if there is one.
            parameters: The limits of a run.
            modules: The other files of `evaluate/`, path inside it → bytes.
            runtime: What the script may import.
        """
        name, truth = ground_truth or ("ground_truth", None)
        is_fresh = parameters.isolation is Isolation.STRICT
        bare = ScriptRun(script, b"", parameters, truth, name, fresh=is_fresh, modules=modules or {}, runtime=runtime)

        def run_script(result: bytes, /, *, result_name: str = "result.json", run: bytes | None = None) -> ScriptEnd:
            return self.run(replace(bare, result=result, result_name=result_name, run=run), version=version)

        return run_script

    @abstractmethod
    def run(self, run: ScriptRun, *, version: str) -> ScriptEnd:
        """Run a script once, in an environment of this version alone.

        Raises SandboxFailure if the sandbox failed, and EvaluatorError if the script cannot be run in it.
        """


SPEC = ScorerSpec("script", ScriptParameters, score_names=None, needs_ground_truth=False, reads=tuple(FORMATS))
