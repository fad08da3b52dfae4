"""A benchmark: its definition, its files (from a folder or a published bundle) and its version."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel

from scoring_core.benchmarks import bundle
from scoring_core.benchmarks.definition import (
    DEFINITION_FILE,
    DESCRIPTION_FILE,
    EXPECTED_FILE,
    MAX_PARTS,
    SAMPLE_FILE,
    SCRIPT_FILE,
    Definition,
)
from scoring_core.benchmarks.validation import suggest_nearest, validate
from scoring_core.errors import BenchmarkError, EvaluatorError
from scoring_core.io.text import shorten
from scoring_core.owner_limits import find_excess, find_oversize
from scoring_core.scorers.base import Scorer, ScorerInputs, ScorerSpec, find_excess_of_scores
from scoring_core.scorers.script import ScriptParameters
from scoring_core.scorers.script.run import RunScript
from scoring_core.time_limit import MAX_SECONDS, OutOfTime, limit_processor_time

_MAX_QUOTED = 1000
"""Of what a reader of the ground truth says: it may quote a cell."""


class ScriptSandbox(Protocol):
    """Where evaluation scripts run: the sandbox function of the cloud, or bubblewrap on one machine."""

    def for_benchmark(
        self, version: str, *, script: bytes, ground_truth: tuple[str, bytes] | None, parameters: ScriptParameters
    ) -> RunScript:
        """Give what runs one benchmark's script on one result after another.

        Args:
            version: The benchmark's version; environments are shared within it and never beyond it.
            script: The bytes of `evaluate.py`.
            ground_truth: File name and bytes of what lies beside it; None where nothing does.
            parameters: The limits of a run.
        """
        ...


@dataclass(frozen=True)
class Benchmark:
    """A definition with its files, checked: what is here can be published and scored with.

    Args:
        definition: What `benchmark.yaml` says.
        files: Every file of the benchmark, path inside the folder → bytes.
        parameters: The scorer's parameters, validated, with their defaults.
    """

    definition: Definition
    files: Mapping[str, bytes] = field(repr=False)
    parameters: BaseModel

    @property
    def kind(self) -> ScorerSpec:
        """The scorer's row in the table."""
        return self.definition.kind

    @property
    def description(self) -> str:
        """The page's text, Markdown; "" where there is none."""
        return self.files.get(DESCRIPTION_FILE, b"").decode()

    @property
    def examples(self) -> dict[str, bytes]:
        """Example results, file name → bytes, in order of name."""
        return {
            path.removeprefix(bundle.EXAMPLES_FOLDER): content
            for path, content in sorted(self.files.items())
            if path.startswith(bundle.EXAMPLES_FOLDER) and path != EXPECTED_FILE
        }

    @property
    def sample(self) -> str | None:
        """The example that players are shown (`examples/sample.json`); the others may give the truth away."""
        content = self.files.get(SAMPLE_FILE)
        return None if content is None else content.decode(errors="replace")

    @cached_property
    def materials(self) -> ScorerInputs:
        """What decides scores."""
        truth = self.definition.ground_truth
        return ScorerInputs(
            parameters=self.parameters,
            ground_truth=self.files[truth] if truth else None,
            script=self.files.get(SCRIPT_FILE),
        )

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The declared parts, or those that the ground truth declares; () where the benchmark has none."""
        return self.definition.parts or self.kind.parts_of(self.materials)

    @cached_property
    def version(self) -> str:
        """16 hexadecimal digits: the hash of all that decides scores, and of nothing else (no title, text, ranking)."""
        columns = {"name", "type", "min", "max", "expression"}
        headers = [header.model_dump(mode="json", include=columns) for header in self.definition.score_type.headers]
        decides = {
            "scorer": self.definition.scorer,
            "parameters": self.parameters.model_dump(mode="json"),
            "headers": sorted(headers, key=lambda header: str(header["name"])),
            "ground_truth": _sha256(self.materials.ground_truth),
            "script": _sha256(self.materials.script),
            # A script opens its ground truth by name; no other scorer sees the name.
            "ground_truth_name": self.definition.ground_truth if self.materials.script else None,
        }
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]

    def prepare_scorer(self, sandbox: ScriptSandbox | None = None, *, max_seconds: float = MAX_SECONDS) -> Scorer:
        """Build the scorer; costs what parsing the ground truth costs.

        Args:
            sandbox: Where an evaluation script is run; without one a script benchmark cannot score.
            max_seconds: Of processor time, for what the scorer reads.

        Raises:
            EvaluatorError: The ground truth or the script is wrong, or takes too long; the message names the file.
        """
        materials = self.materials
        if sandbox is not None and materials.script is not None and isinstance(self.parameters, ScriptParameters):
            truth = self.definition.ground_truth
            run_script = sandbox.for_benchmark(
                self.version,
                script=materials.script,
                ground_truth=(truth, self.files[truth]) if truth else None,
                parameters=self.parameters,
            )
            materials = replace(materials, run_script=run_script)
        try:
            with _in_time(max_seconds):
                return self.kind.prepare(materials)
        except EvaluatorError as error:
            if materials.script is not None:
                raise
            where = f"{self.definition.id}/{self.definition.ground_truth or DEFINITION_FILE}"
            raise EvaluatorError(f"{where}: {shorten(error.message, _MAX_QUOTED)}") from error

    def pack(self) -> bytes:
        """Give the bundle: a ZIP of the files, the same bytes for the same benchmark."""
        return bundle.pack(self.files)


def load_folder(folder: Path) -> Benchmark:
    """Load a benchmark from its folder.

    Args:
        folder: Holds `benchmark.yaml`; its name must be the benchmark's id. Hidden files and links are left out.

    Raises:
        BenchmarkError: One line a fault, naming the file, the key, what was expected and what was found.
    """
    folder = folder.resolve()
    if not (folder / DEFINITION_FILE).is_file():
        raise BenchmarkError(f"{folder}: no {DEFINITION_FILE} here; a benchmark is a folder that holds one")
    benchmark = _load(set(_paths(folder)), read=lambda path: (folder / path).read_bytes(), origin=f"{folder.name}/")
    if benchmark.definition.id != folder.name:
        raise BenchmarkError(
            f"{folder.name}/{DEFINITION_FILE}: id: expected {folder.name!r}, the folder's name, "
            f"found {benchmark.definition.id!r}",
        )
    return benchmark


def load_bundle(content: bytes, definition: Definition | None = None) -> Benchmark:
    """Load a benchmark from what `Benchmark.pack` gave.

    Args:
        content: The bundle.
        definition: What its `benchmark.yaml` says, for who has it already: PyYAML costs a cold start 20 ms.

    Raises:
        BenchmarkError: As for a folder.
    """
    files = bundle.unpack(content)
    return _load(files.keys(), read=files.__getitem__, origin="", definition=definition)


def _paths(folder: Path) -> Iterator[str]:
    """Give what may belong to a benchmark: plain files of the folder and of `examples`, nothing hidden, no links."""
    examples = folder / bundle.EXAMPLES_FOLDER
    for inside in (folder, examples):
        if inside.is_dir() and not inside.is_symlink():
            for path in inside.iterdir():
                relative = path.relative_to(folder).as_posix()
                if bundle.belongs(relative) and path.is_file() and not path.is_symlink():
                    yield relative


def _load(
    paths: Collection[str], *, read: Callable[[str], bytes], origin: str, definition: Definition | None = None
) -> Benchmark:
    where = origin + DEFINITION_FILE
    if DEFINITION_FILE not in paths:
        raise BenchmarkError(f"{where}: missing, or no plain file")
    published = definition
    definition = published or _read_definition(read(DEFINITION_FILE), origin)
    parameters = validate(definition.kind.parameters, definition.parameters, where=where, below=("parameters",))
    files = {path: read(path) for path in sorted(paths) if _is_named(path, definition)}
    faults = [f"{where}: {fault}" for fault in (*_find_missing(definition, files), *_find_strangers(definition))]
    faults += [f"{origin}{fault}" for fault in _find_unreadable(files)]
    if published is None:
        faults += [f"{origin}{fault}" for fault in find_excess(definition, files)]
    if faults:
        raise BenchmarkError("\n".join(faults))
    benchmark = Benchmark(definition=definition, files=files, parameters=parameters)
    _check_parts(benchmark, origin=origin)
    if published is None:
        _check_scores(benchmark, where=where)
    return benchmark


def _read_definition(content: bytes, origin: str) -> Definition:
    from scoring_core.io.strict_yaml import read_yaml  # noqa: PLC0415  # a function that scores starts without PyYAML

    where = origin + DEFINITION_FILE
    for fault in find_oversize(DEFINITION_FILE, content):
        raise BenchmarkError(f"{origin}{fault}")
    return validate(Definition, read_yaml(content, where), where=where)


def _is_named(path: str, definition: Definition) -> bool:
    """Tell whether anyone reads a file: a stray one neither travels nor leaks."""
    named = {DEFINITION_FILE, DESCRIPTION_FILE, SCRIPT_FILE, definition.ground_truth}
    return path in named or path.startswith(bundle.EXAMPLES_FOLDER)


def _find_missing(definition: Definition, files: Mapping[str, bytes]) -> Iterator[str]:
    truth, scorer = definition.ground_truth, definition.scorer
    if truth is None and definition.kind.needs_ground_truth:
        yield f"ground_truth: scorer {scorer} needs one; name its file here"
    if truth is not None and truth not in files:
        yield f"ground_truth: there is no plain file {truth!r} beside {DEFINITION_FILE}"
    takes_script = definition.kind.score_names is None
    if takes_script and SCRIPT_FILE not in files:
        yield f"scorer: {scorer} needs {SCRIPT_FILE} beside {DEFINITION_FILE}"
    if not takes_script and SCRIPT_FILE in files:
        yield f"scorer: {scorer} has no use for {SCRIPT_FILE}; did you mean script?"


def _find_strangers(definition: Definition) -> Iterator[str]:
    """Find plain headers that the scorer never yields; those of a script are its own affair."""
    offered = definition.kind.score_names
    for index, header in enumerate(definition.score_type.headers):
        if offered is not None and header.expression is None and header.name not in offered:
            hint = suggest_nearest(header.name, offered)
            yield f"score_type.headers[{index}].name: scorer {definition.scorer} never yields {header.name!r}; {hint}"


def _find_unreadable(files: Mapping[str, bytes]) -> Iterator[str]:
    try:
        files.get(DESCRIPTION_FILE, b"").decode()
    except UnicodeDecodeError as error:
        yield f"{DESCRIPTION_FILE}: not UTF-8 (byte {error.start})"
    size = sum(map(len, files.values()))
    if size > bundle.MAX_BUNDLE_BYTES:
        yield f"the files have {size} bytes together, at most {bundle.MAX_BUNDLE_BYTES} are published"


def _check_parts(benchmark: Benchmark, *, origin: str) -> None:
    """Check that the scorer scores every part that is declared; a script scores whatever it is told."""
    definition = benchmark.definition
    try:
        with _in_time(MAX_SECONDS):
            known = benchmark.kind.parts_of(benchmark.materials)
    except EvaluatorError as error:
        where = f"{origin}{definition.ground_truth}"
        raise BenchmarkError(f"{where}: {shorten(error.message, _MAX_QUOTED)}") from error
    if len(known) > MAX_PARTS:
        raise BenchmarkError(f"{origin}{definition.ground_truth}: at most {MAX_PARTS} parts, found {len(known)}")
    if benchmark.kind.score_names is None:
        return
    unknown = next((part for part in definition.parts if part not in known), None)
    if unknown is not None:
        known_here = f"is not in {definition.ground_truth}" if known else f"scorer {definition.scorer} has no parts"
        raise BenchmarkError(f"{origin}{DEFINITION_FILE}: parts: {unknown!r}: {known_here}")


@contextmanager
def _in_time(seconds: float) -> Iterator[None]:
    """Bound the processor time of reading a ground truth. Raises EvaluatorError."""
    try:
        with limit_processor_time(seconds):
            yield
    except OutOfTime:
        raise EvaluatorError(f"reading it took more than {seconds:g} seconds of processor time") from None


def _check_scores(benchmark: Benchmark, *, where: str) -> None:
    """Check that the scores of a result that is scored for every part of the ground truth can be recorded."""
    if benchmark.kind.score_names is not None and benchmark.parts:
        fault = find_excess_of_scores(benchmark.parts, benchmark.definition.score_type.names)
        if fault is not None:
            raise BenchmarkError(f"{where}: score_type.headers: {fault}")


def _sha256(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()
