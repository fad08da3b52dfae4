"""A benchmark: its definition, its files (from a folder or a published bundle) and its version."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scoring_core.benchmarks import bundle
from scoring_core.benchmarks.definition import (
    DEFINITION_FILE,
    DESCRIPTION_FILE,
    EXPECTED_FILE,
    MAX_PARTS,
    RUNTIME_FILE,
    SCRIPT_FILE,
    WITHHELD_FILE,
    Definition,
    Keep,
    PartName,
)
from scoring_core.benchmarks.salts import NO_SALT, SALT_FILE, pack_salt, read_salt
from scoring_core.benchmarks.terms import find_part_fault, find_result_fault
from scoring_core.benchmarks.validation import MAX_SHOWN, validate
from scoring_core.errors import BenchmarkError, EvaluatorError
from scoring_core.io.formats import FORMATS
from scoring_core.io.markdown import render_markdown
from scoring_core.io.text import shorten, suggest_nearest
from scoring_core.ranking.standings import name_public
from scoring_core.runtimes import DEFAULT_RUNTIME, Runtime
from scoring_core.scorers.base import (
    MAX_SECONDS,
    OutOfTime,
    Scorer,
    ScorerInputs,
    find_excess_of_scores,
    join_halves,
    limit_processor_time,
)

if TYPE_CHECKING:
    from scoring_core.scorers.script.run import ScriptParameters, ScriptSandbox

_RUN_FILE = "run"
_FOLDERS = (bundle.EXAMPLES_FOLDER, bundle.SCRIPT_FOLDER)
MOVING = "docs/moving.md"
"""Where owners read what becomes of the files of another platform."""
_EVALAI_SCRIPT = "main.py"
_MAX_QUOTED = 1000
"""Of the error of a scorer: it may quote a cell of the ground truth."""


type _Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Withheld(BaseModel):
    """What a version says of the files that only the owner's runner has: their SHA-256, and their parts."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    ground_truth: _Sha256 | None = None
    final: _Sha256 | None = None
    script: _Sha256 | None = None
    modules: dict[str, _Sha256] = {}
    parts: tuple[PartName, ...] = Field(default=(), max_length=MAX_PARTS)


@dataclass(frozen=True)
class Benchmark:
    """A checked definition with its files: it can be published and scored with.

    Args:
        definition: The content of `benchmark.yaml`.
        files: Every file of the benchmark, path inside the folder → bytes.
        parameters: The scorer's parameters, validated, with their defaults.
        is_final: Whether results are scored by the hidden rows, too, and ranked by these.
    """

    definition: Definition
    files: Mapping[str, bytes] = field(repr=False)
    parameters: BaseModel
    is_final: bool = False

    @property
    def description(self) -> str:
        """The text of the page as safe HTML; "" if there is none."""
        return render_markdown(self.files.get(DESCRIPTION_FILE, b"").decode("utf-8-sig"))

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
        """The example that players see, if it is text.

        The others may reveal the ground truth.
        """
        content = self.files.get(self.definition.sample_file)
        is_text = FORMATS[self.definition.submissions.takes[0]].is_text
        return content.decode(errors="replace") if content is not None and is_text else None

    @cached_property
    def inputs(self) -> ScorerInputs:
        """What decides scores."""
        name = self.definition.ground_truth
        script = self.files.get(SCRIPT_FILE, self.files.get(bundle.SCRIPT_FOLDER + SCRIPT_FILE))
        modules = bundle.list_modules(self.files)
        hidden = self.definition.final and self.definition.final.ground_truth
        truth = self.files[hidden if self.is_final and hidden else name] if name else None
        return ScorerInputs(self.parameters, truth, script, modules=modules, is_hidden=self.is_final)

    def reveal(self) -> "Benchmark":
        """Return its final: another version of the same files."""
        return replace(self, definition=self.definition.reveal(), is_final=True)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts that are declared, or those of the ground truth; may be empty."""
        if self.definition.parts or WITHHELD_FILE in self.files:
            return self.definition.parts or self.withheld.parts
        return self.definition.spec.parts_of(self.inputs)

    @cached_property
    def withheld(self) -> Withheld:
        """The hashes of truth and program, also of a bundle without them."""
        if (content := self.files.get(WITHHELD_FILE)) is not None:
            return Withheld.model_validate_json(content)
        return Withheld(
            ground_truth=_sha256(self.definition.spec.conceal(replace(self, is_final=False).inputs)),
            final=_sha256(self.inputs.ground_truth) if self.is_final else None,
            script=_sha256(self.inputs.script),
            modules={path: _sha256(content) or "" for path, content in self.inputs.modules.items()},
        )

    def withhold(self) -> "Benchmark":
        """Return the same version without truth, program and examples.

        It is what leaves the owner's house; of another benchmark, all of it.
        """
        if not self.definition.runs_own or WITHHELD_FILE in self.files:
            return self
        public = {DEFINITION_FILE, DESCRIPTION_FILE, SALT_FILE, RUNTIME_FILE, self.definition.sample_file}
        files = {path: content for path, content in self.files.items() if path in public}
        whole = self.reveal() if self.definition.final else self
        hashes = whole.withheld.model_copy(update={"parts": self.parts})
        return replace(self, files={**files, WITHHELD_FILE: hashes.model_dump_json().encode()})

    def find_refusal(self, content: bytes, *, part: str | None, file_format: str) -> str | None:
        """Return why no way to submit accepts bytes as a result; None if one does."""
        rules = self.definition.submissions
        if len(content) > rules.max_bytes:
            return f"expected at most {rules.max_bytes} bytes (submissions.max_bytes), found {len(content)}"
        if file_format not in rules.takes:
            return f"expected {' or '.join(rules.takes)} (submissions.takes), found {file_format}"
        part_fault = find_part_fault(part, self.parts, needs_part=self.definition.needs_part)
        return find_result_fault(content, file_format) or part_fault

    @property
    def salt(self) -> str | None:
        """64 hexadecimal digits, as private as the ground truth; None without `salt.txt`."""
        content = self.files.get(SALT_FILE)
        return None if content is None else read_salt(content)

    @property
    def needs_salt(self) -> bool:
        """True if it must get a salt before its version may be seen by anybody."""
        return self.definition.salt != NO_SALT and self.salt is None

    def add_salt(self, salt: str) -> "Benchmark":
        """Return the benchmark with a salt, as if it were in its folder."""
        return replace(self, files={**self.files, SALT_FILE: pack_salt(salt)})

    @property
    def final_version(self) -> str | None:
        """The version of its final; None without one."""
        return None if self.definition.final is None else self.reveal().version

    @property
    def runtime(self) -> Runtime:
        """What its script may import."""
        lock = self.files.get(RUNTIME_FILE)
        return Runtime(self.definition.runtime, None if lock is None else lock.decode())

    def pin_runtime(self, locks: Mapping[str, str]) -> "Benchmark":
        """Return the benchmark as it is scored where these runtimes are.

        Args:
            locks: Runtime → hash of its lock, without the default one.

        Raises:
            BenchmarkError: Its runtime is not among them.
        """
        name = self.definition.runtime
        if name == DEFAULT_RUNTIME:
            return self
        if name not in locks:
            shown = ", ".join(sorted({DEFAULT_RUNTIME, *locks}))
            raise BenchmarkError(
                f"{self.definition.id}/{DEFINITION_FILE}: runtime: expected one of those here ({shown}), found {name!r}"
            )
        return replace(self, files={**self.files, RUNTIME_FILE: locks[name].encode()})

    @cached_property
    def version(self) -> str:
        """The hash of all that decides scores, and of the salt; 16 hexadecimal digits.

        An address, never a commitment: two ground truths with the same 16 digits can be found.
        """
        keys = {"name", "type", "min", "max", "expression"}
        metrics = [metric.model_dump(mode="json", include=keys) for metric in self.definition.score_type.headers]
        decides: dict[str, object] = {
            "scorer": self.definition.scorer,
            "parameters": self.parameters.model_dump(mode="json"),
            "headers": sorted(metrics, key=lambda metric: str(metric["name"])),
            "ground_truth": self.withheld.ground_truth,
            "script": self.withheld.script,
            # A script opens its ground truth by name; no other scorer sees the name.
            "ground_truth_name": self.definition.ground_truth if self.withheld.script else None,
        }
        if self.is_final:
            decides["final"] = self.withheld.final
        if self.withheld.modules:
            decides["modules"] = self.withheld.modules
        if self.definition.spec.revision > 1:  # or other versions would change
            decides["revision"] = self.definition.spec.revision
        if self.definition.runtime != DEFAULT_RUNTIME:
            decides["runtime"] = self.runtime._asdict()
        if self.salt is not None:
            decides["salt"] = self.salt
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]

    def prepare_scorer(self, sandbox: "ScriptSandbox | None" = None, *, max_seconds: float = MAX_SECONDS) -> Scorer:
        """Build the scorer, which parses the ground truth; that of a final, both truths.

        Args:
            sandbox: Runs an evaluation script; without one a script benchmark cannot score.
            max_seconds: Of processor time, for each truth.

        Raises:
            EvaluatorError: The ground truth or the script is wrong, or takes too long; the message names the file.
        """
        scorer = self._prepare_half(sandbox, max_seconds)
        if not self.is_final:
            return scorer
        public = replace(self, is_final=False).prepare_scorer(sandbox, max_seconds=max_seconds)
        return join_halves(public, scorer)

    def _prepare_half(self, sandbox: "ScriptSandbox | None", max_seconds: float) -> Scorer:
        """Build the scorer of the public rows, or of a final that of the hidden ones."""
        inputs = self.inputs
        name = self.definition.ground_truth
        if sandbox is not None and inputs.script is not None:
            run_script = sandbox.for_benchmark(
                self.version,
                script=inputs.script,
                ground_truth=(name, inputs.ground_truth) if name and inputs.ground_truth is not None else None,
                parameters=cast("ScriptParameters", self.parameters),  # `_find_missing`: no other scorer has a script
                modules=inputs.modules,
                runtime=self.runtime,
            )
            inputs = inputs._replace(run_script=run_script)
        try:
            with _time_limit(max_seconds):
                return self.definition.spec.prepare(inputs)
        except EvaluatorError as error:
            if inputs.script is not None:
                raise
            file = f"{self.definition.id}/{name or DEFINITION_FILE}"
            raise EvaluatorError(f"{file}: {shorten(error.message, _MAX_QUOTED)}") from error

    def pack(self) -> bytes:
        """Return the bundle: a ZIP of the files, the same bytes for the same benchmark."""
        return bundle.pack(self.files)


def load_folder(folder: Path) -> Benchmark:
    """Load a benchmark from its folder, whose name must be its id.

    Hidden files and links are ignored. Raises BenchmarkError with one line for each fault: the file, the key, what was
    expected and what was found.
    """
    folder = folder.resolve()
    if not (folder / DEFINITION_FILE).is_file():
        raise BenchmarkError(f"{folder}: no {DEFINITION_FILE} here; a benchmark is a folder that holds one")
    benchmark = _load(set(list_files(folder)), read=lambda path: (folder / path).read_bytes(), origin=f"{folder.name}/")
    if benchmark.definition.id != folder.name:
        raise BenchmarkError(
            f"{folder.name}/{DEFINITION_FILE}: id: expected {folder.name!r}, the folder's name, "
            f"found {benchmark.definition.id!r}",
        )
    return benchmark


def load_bundle(content: bytes, definition: Definition | None = None) -> Benchmark:
    """Load a benchmark from its bundle.

    Args:
        content: What `Benchmark.pack` returned.
        definition: The parsed `benchmark.yaml`, if the caller has it: saves importing PyYAML (20 ms of cold start).

    Raises:
        BenchmarkError: As for a folder.
    """
    files = bundle.unpack(content)
    return _load(files.keys(), read=files.__getitem__, origin="", definition=definition)


def list_files(folder: Path) -> Iterator[str]:
    """List the visible files of a folder, its examples and `evaluate`, without links."""
    for inside, pattern in ((bundle.SCRIPT_FOLDER, "**/*"), ("", "*"), (bundle.EXAMPLES_FOLDER, "*")):
        if not (folder / inside).is_symlink():
            for path in sorted((folder / inside).glob(pattern)):
                relative = path.relative_to(folder).as_posix()
                if bundle.belongs(relative) and path.is_file() and not path.is_symlink():
                    yield relative


def _load(
    paths: Collection[str], *, read: Callable[[str], bytes], origin: str, definition: Definition | None = None
) -> Benchmark:
    file = origin + DEFINITION_FILE
    if DEFINITION_FILE not in paths:
        raise BenchmarkError(f"{file}: missing, or no plain file")
    is_new = definition is None
    definition = definition or _read_definition(read(DEFINITION_FILE), origin)
    parameters = validate(definition.spec.parameters, definition.parameters, file=file, below=("parameters",))
    if definition.runs_own and WITHHELD_FILE in paths:
        return _load_withheld(definition, parameters, paths, read=read, file=origin + WITHHELD_FILE)
    # A file that nobody names is neither published nor read.
    named = {DEFINITION_FILE, DESCRIPTION_FILE, SCRIPT_FILE, SALT_FILE, definition.ground_truth}
    named.add(definition.final.ground_truth if definition.final else None)
    if not is_new:  # which runtime there is, the platform says
        named.add(RUNTIME_FILE)
    files = {path: read(path) for path in sorted(paths) if path in named or path.startswith(_FOLDERS)}
    missing, unknown = _find_missing(definition, files, paths), _find_unknown_metrics(definition, parameters)
    faults = [f"{file}: {fault}" for fault in (*missing, *unknown, *_find_run_faults(definition, parameters))]
    faults += [f"{file}: {fault}" for fault in _find_excess_of_script(definition, parameters)]
    faults += [f"{origin}{fault}" for fault in (*_find_salt_faults(definition, files), *_find_unreadable(files))]
    if is_new:
        from scoring_core.benchmarks.owner_limits import find_excess  # noqa: PLC0415  # as in `_read_definition`

        faults += [f"{origin}{fault}" for fault in find_excess(definition, files)]
    if faults:
        raise BenchmarkError("\n".join(faults))
    benchmark = Benchmark(definition=definition, files=files, parameters=parameters)
    _check_parts(benchmark, origin=origin)
    if is_new:
        _check_final(benchmark, file=file)
        _check_boards(benchmark, file=file)
    if is_new and not definition.needs_part and benchmark.parts:
        names = definition.score_type.names
        public = name_public(dict.fromkeys(names, 0)) if definition.final else ()
        excess = find_excess_of_scores(benchmark.parts, (*names, *public))
        if excess is not None:
            raise BenchmarkError(f"{file}: score_type.headers: {excess}")
    return benchmark


def _load_withheld(
    definition: Definition, parameters: BaseModel, paths: Collection[str], *, read: Callable[[str], bytes], file: str
) -> Benchmark:
    """Load what `Benchmark.withhold` returned."""
    public = {DEFINITION_FILE, DESCRIPTION_FILE, SALT_FILE, RUNTIME_FILE, WITHHELD_FILE, definition.sample_file}
    if unexpected := next((path for path in sorted(paths) if path not in public), None):
        raise BenchmarkError(f"{file}: expected no truth and no program beside it, found {unexpected!r}")
    benchmark = Benchmark(definition, {path: read(path) for path in sorted(paths)}, parameters)
    try:
        benchmark.withheld  # noqa: B018  # it is read here, so that nobody else has to expect a fault
    except ValidationError as error:
        raise BenchmarkError(f"{file}: expected what `laurel publish` writes: {error.errors()[0]['msg']}") from error
    from scoring_core.benchmarks.owner_limits import find_excess  # noqa: PLC0415  # as in `_read_definition`

    faults = [*_find_salt_faults(definition, benchmark.files), *_find_unreadable(benchmark.files)]
    if faults := [*faults, *find_excess(definition, benchmark.files)]:
        raise BenchmarkError("\n".join(faults))
    _check_boards(benchmark, file=DEFINITION_FILE)
    return benchmark


def _read_definition(content: bytes, origin: str) -> Definition:
    # A function that scores reads no folders: it starts without the limits of their files, and without PyYAML.
    from scoring_core.benchmarks.owner_limits import find_oversize  # noqa: PLC0415
    from scoring_core.io.strict_yaml import read_yaml  # noqa: PLC0415

    for fault in find_oversize(DEFINITION_FILE, content):
        raise BenchmarkError(f"{origin}{fault}")
    file = origin + DEFINITION_FILE
    return validate(Definition, read_yaml(content, file), file=file)


def _find_missing(definition: Definition, files: Mapping[str, bytes], paths: Collection[str]) -> Iterator[str]:
    name, scorer = definition.ground_truth, definition.scorer
    if name is None and definition.spec.needs_ground_truth:
        yield f"ground_truth: scorer {scorer} needs one; name its file here"
    if name is not None and name not in files:
        yield f"ground_truth: there is no plain file {name!r} beside {DEFINITION_FILE}"
    hidden = definition.final and definition.final.ground_truth
    if hidden and hidden not in files:
        yield f"final.ground_truth: there is no plain file {hidden!r} beside {DEFINITION_FILE}"
    modules, inside = bundle.list_modules(files), bundle.SCRIPT_FOLDER + SCRIPT_FILE
    scripts = [path for path in (SCRIPT_FILE, inside) if path in files]
    if definition.runs_script and SCRIPT_FILE in files and (modules or inside in files):
        yield f"scorer: expected {SCRIPT_FILE} in {bundle.SCRIPT_FOLDER} with its modules, found it beside that folder"
    beside = {SCRIPT_FILE, *modules, *([name] if name else [])}
    for clash in sorted(beside & {str(folder) for path in beside for folder in PurePosixPath(path).parents}):
        yield f"{bundle.SCRIPT_FOLDER}{clash}: would be a file and a folder beside {SCRIPT_FILE}; rename one of them"
    if name in modules:
        yield f"ground_truth: {bundle.SCRIPT_FOLDER}{name} has the same name; both would be beside {SCRIPT_FILE}"
    if definition.runs_script and not scripts:
        foreign = f"; {_EVALAI_SCRIPT} is not run: see {MOVING}" if _EVALAI_SCRIPT in paths else ""
        yield f"scorer: {scorer} needs {SCRIPT_FILE} beside {DEFINITION_FILE}, or in {bundle.SCRIPT_FOLDER}{foreign}"
    if not definition.runs_script and (scripts or modules):
        yield f"scorer: {scorer} has no use for {next(iter(scripts), bundle.SCRIPT_FOLDER)}; did you mean script?"


def _find_unknown_metrics(definition: Definition, parameters: BaseModel) -> Iterator[str]:
    """Find plain metrics that a built-in scorer never yields."""
    offered = definition.spec.scores_of(parameters)
    for index, metric in enumerate(definition.score_type.headers):
        if offered is not None and metric.expression is None and metric.name not in offered:
            hint = suggest_nearest(metric.name, offered)
            yield f"score_type.headers[{index}].name: scorer {definition.scorer} never yields {metric.name!r}; {hint}"


def _find_run_faults(definition: Definition, parameters: BaseModel) -> Iterator[str]:
    """Find what does not fit the run tickets that the benchmark demands, or does not."""
    runs = definition.runs
    if runs is not None and definition.runs_script and _RUN_FILE in definition.parts:
        yield f"parts: {_RUN_FILE!r} would be {_RUN_FILE}.json, which says when the play began; name the part otherwise"
    find_faults = getattr(parameters, "find_run_faults", None)
    if find_faults is not None:
        faults = find_faults(tickets=runs is not None, seeds=runs is not None and runs.seed is not None)
        yield from (f"parameters: {fault}" for fault in faults)


def _find_excess_of_script(definition: Definition, parameters: BaseModel) -> Iterator[str]:
    """Find limits of a script that are beyond those of the place where it runs."""
    if not definition.runs_script:
        return
    from scoring_core.scorers.script import MOST  # noqa: PLC0415  # other scorers start without it

    for name, most in MOST[definition.runs_on].items():
        if (limit := getattr(parameters, name)) > most:
            yield f"parameters.{name}: expected at most {most} with `runs_on: {definition.runs_on}`, found {limit}"


def _find_salt_faults(definition: Definition, files: Mapping[str, bytes]) -> Iterator[str]:
    """Find a salt that contradicts the definition, or is none.

    No message repeats any of it.
    """
    if SALT_FILE not in files:
        return
    if definition.salt == NO_SALT:
        yield f"{SALT_FILE}: {DEFINITION_FILE} says `salt: {NO_SALT}`; delete either"
    elif read_salt(files[SALT_FILE]) is None:
        yield f"{SALT_FILE}: expected 64 hexadecimal digits, and nothing else"


def _find_unreadable(files: Mapping[str, bytes]) -> Iterator[str]:
    try:
        files.get(DESCRIPTION_FILE, b"").decode()
    except UnicodeDecodeError as error:
        yield f"{DESCRIPTION_FILE}: not UTF-8 (byte {error.start})"
    size = sum(map(len, files.values()))
    if size > bundle.MAX_BUNDLE_BYTES:
        yield f"the files have {size} bytes together, at most {bundle.MAX_BUNDLE_BYTES} are published"


def _check_parts(benchmark: Benchmark, *, origin: str) -> None:
    """Check that the scorer scores every declared part."""
    definition = benchmark.definition
    file = f"{origin}{definition.ground_truth}"
    try:
        with _time_limit(MAX_SECONDS):
            parts = definition.spec.parts_of(benchmark.inputs)
    except EvaluatorError as error:
        raise BenchmarkError(f"{file}: {shorten(error.message, _MAX_QUOTED)}") from error
    if len(parts) > MAX_PARTS:
        raise BenchmarkError(f"{file}: at most {MAX_PARTS} parts, found {len(parts)}")
    unknown = next((part for part in definition.parts if part not in parts), None)
    if unknown is not None and not definition.needs_part:
        reason = f"is not in {definition.ground_truth}" if parts else f"scorer {definition.scorer} has no parts"
        raise BenchmarkError(f"{origin}{DEFINITION_FILE}: parts: {unknown!r}: {reason}")


def _check_final(benchmark: Benchmark, *, file: str) -> None:
    """Check the hidden truth, so that no mistake in it comes to light at the final."""
    if any(ranking.keep is Keep.BEST_PUBLIC for ranking in benchmark.definition.rankings):
        raise BenchmarkError(f"{file}: ranking.keep: expected 'best', 'latest', 'mean' or 'sum', found 'best_public'")
    if benchmark.definition.final is None:
        return
    final = benchmark.reveal()
    try:
        if not final.definition.runs_script:
            final.prepare_scorer()
        parts = final.definition.parts or final.parts
    except EvaluatorError as error:
        raise BenchmarkError(error.message) from error
    if parts != benchmark.parts:
        raise BenchmarkError(f"{file}: final: expected a hidden truth with the parts of the public one, in their order")


def _check_boards(benchmark: Benchmark, *, file: str) -> None:
    from scoring_core.benchmarks.board_faults import find_board_faults  # noqa: PLC0415  # as in `_read_definition`

    faults = [f"{file}: {fault}" for fault in find_board_faults(benchmark.definition, benchmark.parts)]
    if faults:
        raise BenchmarkError("\n".join(faults[:MAX_SHOWN]))


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    try:
        with limit_processor_time(seconds):
            yield
    except OutOfTime:
        raise EvaluatorError(f"reading it took more than {seconds:g} seconds of processor time") from None


def _sha256(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()
