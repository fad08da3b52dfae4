"""A benchmark: its definition (`benchmark.yaml`), its files (from a folder or a published bundle) and its version."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, Self

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from scoring_core.definition_errors import explain
from scoring_core.errors import BenchmarkError, EvaluatorError
from scoring_core.evaluation import Materials, Scorer, ScorerKind
from scoring_core.score_type import ScoreType
from scoring_core.scorer import SCORERS
from scoring_core.script import Parameters as ScriptParameters
from scoring_core.script_run import RunScript

DEFINITION_FILE = "benchmark.yaml"
DESCRIPTION_FILE = "description.md"
SCRIPT_FILE = "evaluate.py"
EXPECTED_FILE = "examples/expected.yaml"
SAMPLE = "sample"
MAX_RESULT_BYTES = 20_000_000
MAX_BUNDLE_BYTES = 200_000_000
_BUNDLE_TIME = (1980, 1, 1, 0, 0, 0)

type PartName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
type MailAddress = Annotated[str, Field(pattern=r"^[^@\s<>,;\"]+@[^@\s<>,;\"]+$", max_length=254)]


class Keep(StrEnum):
    """Which of a player's scored submissions count, for each part."""

    BEST = "best"
    LATEST = "latest"
    MEAN = "mean"
    SUM = "sum"


class Combine(StrEnum):
    """How the declared parts become one value."""

    SUM = "sum"
    MEAN = "mean"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Ranking(_Strict):
    """Who leads: `keep` for each part, `combine` over the parts, then the columns `by`, the first before the second."""

    keep: Keep = Keep.BEST
    combine: Combine = Combine.SUM
    by: tuple[str, ...] = Field(min_length=1)


class SubmissionRules(_Strict):
    """What a player may hand in. A limit of a day is for each player; a day is a day in UTC."""

    anonymous: bool = True
    bundle: bool = False
    max_bytes: int = Field(default=1_048_576, ge=1, le=MAX_RESULT_BYTES)
    per_day: int = Field(default=100, ge=1)
    invalid_per_day: int = Field(default=50, ge=1)
    drop_per_day: int = Field(default=10_000, ge=1)


class Contacts(_Strict):
    """Who is written to when the benchmark is at fault."""

    owner: MailAddress


class Definition(_Strict):
    """What `benchmark.yaml` says."""

    id: str = Field(pattern=r"^[a-z0-9-]{1,64}$")
    title: str = Field(min_length=1, max_length=100)
    summary: str = Field(min_length=1, max_length=300)
    tags: tuple[Annotated[str, Field(min_length=1, max_length=32)], ...] = Field(default=(), max_length=10)
    scorer: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    ground_truth: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    score_type: ScoreType
    parts: tuple[PartName, ...] = Field(default=(), max_length=1000)
    ranking: Ranking
    submissions: SubmissionRules = SubmissionRules()
    opens: AwareDatetime | None = None
    closes: AwareDatetime | None = None
    contacts: Contacts

    @field_validator("scorer")
    @classmethod
    def _scorer_known(cls, value: str) -> str:
        if value not in SCORERS:
            raise ValueError(f"expected one of {', '.join(SCORERS)}, found {value!r}")
        return value

    @field_validator("parts")
    @classmethod
    def _parts_unique(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) != len(value):
            raise ValueError("a part is there twice")
        return value

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        unknown = [name for name in self.ranking.by if name not in self.score_type.names]
        if unknown:
            raise ValueError(f"ranking.by names {unknown[0]!r}, which is no header of score_type")
        if self.opens and self.closes and self.opens >= self.closes:
            raise ValueError("opens must be before closes")
        return self

    @property
    def kind(self) -> ScorerKind:
        """The scorer's row in the table."""
        return SCORERS[self.scorer]

    def phase_at(self, moment: datetime) -> Literal["not_open_yet", "open", "closed"]:
        """Tell whether results are taken at this moment (`opens` inclusive, `closes` exclusive)."""
        if self.opens and moment < self.opens:
            return "not_open_yet"
        return "closed" if self.closes and moment >= self.closes else "open"


class Sandbox(Protocol):
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
    def kind(self) -> ScorerKind:
        """The scorer's row in the table."""
        return self.definition.kind

    @property
    def description(self) -> str:
        """The page's text, Markdown; "" where there is none."""
        return self.files.get(DESCRIPTION_FILE, b"").decode()

    @property
    def examples(self) -> dict[str, bytes]:
        """Example results, file name → bytes, in order of name."""
        folder = "examples/"
        return {
            path.removeprefix(folder): content
            for path, content in sorted(self.files.items())
            if path.startswith(folder) and path != EXPECTED_FILE
        }

    @property
    def sample(self) -> bytes | None:
        """The example that players are shown (`examples/sample.json`); the others may give the truth away."""
        return self.files.get(f"examples/{SAMPLE}.json")

    @cached_property
    def materials(self) -> Materials:
        """What decides scores."""
        truth = self.definition.ground_truth
        return Materials(
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
        decides = {
            "scorer": self.definition.scorer,
            "parameters": self.parameters.model_dump(mode="json"),
            "headers": [
                header.model_dump(mode="json", include={"name", "type", "min", "max", "expression"})
                for header in self.definition.score_type.headers
            ],
            "ground_truth": _sha256(self.materials.ground_truth),
            "script": _sha256(self.materials.script),
        }
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]

    def prepare_scorer(self, sandbox: Sandbox | None = None) -> Scorer:
        """Build the scorer; costs what parsing the ground truth costs.

        Args:
            sandbox: Where an evaluation script is run; without one a script benchmark cannot score.

        Raises:
            EvaluatorError: The ground truth or the script is wrong.
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
        return self.kind.prepare(materials)

    def pack(self) -> bytes:
        """Give the bundle: a ZIP of the files, the same bytes for the same benchmark."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
            for path, content in sorted(self.files.items()):
                entry = zipfile.ZipInfo(path, _BUNDLE_TIME)
                entry.compress_type = zipfile.ZIP_DEFLATED
                bundle.writestr(entry, content)
        return buffer.getvalue()


def load_folder(folder: Path) -> Benchmark:
    """Load a benchmark from its folder.

    Args:
        folder: Holds `benchmark.yaml`; its name must be the benchmark's id.

    Raises:
        BenchmarkError: Names the file, the key, what was expected and what was found.
    """
    folder = folder.resolve()
    if not (folder / DEFINITION_FILE).is_file():
        raise BenchmarkError(f"{folder}: no {DEFINITION_FILE} here; a benchmark is a folder that holds one")
    benchmark = _load({path: (folder / path).read_bytes() for path in _paths(folder)}, origin=f"{folder.name}/")
    if benchmark.definition.id != folder.name:
        raise BenchmarkError(
            f"{folder.name}/{DEFINITION_FILE}: id: expected {folder.name!r}, the folder's name, "
            f"found {benchmark.definition.id!r}",
        )
    return benchmark


def load_bundle(bundle: bytes) -> Benchmark:
    """Load a benchmark from what `Benchmark.pack` gave. Raises BenchmarkError."""
    try:
        with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MAX_BUNDLE_BYTES:
                raise BenchmarkError(f"the bundle unpacks to more than {MAX_BUNDLE_BYTES} bytes")
            files = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except zipfile.BadZipFile as error:
        raise BenchmarkError(f"the bundle is no ZIP: {error}") from error
    return _load(files, origin="")


def _paths(folder: Path) -> Iterator[str]:
    """Give what belongs to a benchmark: plain files of the folder and of `examples`, nothing hidden, no links."""
    for pattern in ("*", "examples/*"):
        for path in sorted(folder.glob(pattern)):
            if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
                yield path.relative_to(folder).as_posix()


def _load(files: dict[str, bytes], *, origin: str) -> Benchmark:
    where = origin + DEFINITION_FILE
    if DEFINITION_FILE not in files:
        raise BenchmarkError(f"{where}: missing")
    definition = validate(Definition, read_yaml(files[DEFINITION_FILE], where), where=where)
    kind = definition.kind
    parameters = validate(kind.parameters, definition.parameters, where=where, below=("parameters",))
    _check_files(definition, files, where=where)
    _check_headers(definition, where=where)
    benchmark = Benchmark(definition=definition, files=_kept(definition, files), parameters=parameters)
    try:
        undeclared = set(definition.parts) - set(kind.parts_of(benchmark.materials) or definition.parts)
    except EvaluatorError as error:
        raise BenchmarkError(f"{origin}{definition.ground_truth}: {error.message}") from error
    if undeclared:
        raise BenchmarkError(f"{where}: parts: {min(undeclared)!r} is not in the ground truth")
    return benchmark


def _kept(definition: Definition, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Leave out what no one reads, so that a stray file neither travels nor leaks."""
    named = {DEFINITION_FILE, DESCRIPTION_FILE, SCRIPT_FILE, definition.ground_truth}
    return {path: content for path, content in files.items() if path in named or path.startswith("examples/")}


def _check_files(definition: Definition, files: Mapping[str, bytes], *, where: str) -> None:
    truth = definition.ground_truth
    if truth is None and definition.kind.needs_ground_truth:
        raise BenchmarkError(f"{where}: ground_truth: scorer {definition.scorer} needs one; name its file here")
    if truth is not None and truth not in files:
        raise BenchmarkError(f"{where}: ground_truth: there is no file {truth!r} beside {DEFINITION_FILE}")
    is_script = definition.scorer == "script"
    if is_script and SCRIPT_FILE not in files:
        raise BenchmarkError(f"{where}: scorer: script needs {SCRIPT_FILE} beside {DEFINITION_FILE}")
    if not is_script and SCRIPT_FILE in files:
        raise BenchmarkError(f"{where}: scorer: {definition.scorer} has no use for {SCRIPT_FILE}; did you mean script?")
    try:
        files.get(DESCRIPTION_FILE, b"").decode()
    except UnicodeDecodeError as error:
        raise BenchmarkError(f"{DESCRIPTION_FILE}: not UTF-8 (byte {error.start})") from error


def _check_headers(definition: Definition, *, where: str) -> None:
    offered = definition.kind.score_names
    if offered is None:
        return
    for index, name in enumerate(definition.score_type.names):
        if name not in offered:
            raise BenchmarkError(
                f"{where}: score_type.headers[{index}].name: scorer {definition.scorer} never yields {name!r}; "
                f"it yields {', '.join(offered)}",
            )


def validate[Model: BaseModel](model: type[Model], value: object, *, where: str, below: tuple[str, ...] = ()) -> Model:
    """Check a value of a benchmark's YAML against its model. Raises BenchmarkError that names `where` and the key."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise BenchmarkError(f"{where}: {explain(error, model, below=below)}") from error


class _UniqueKeyLoader(yaml.SafeLoader):
    """YAML's safe loader, but a key that is there twice is an error, not a silent loss."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  # PyYAML's own signature
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for index, key in enumerate(keys):
            if key in keys[:index]:
                raise yaml.MarkedYAMLError(problem=f"the key {key!r} is there twice", problem_mark=node.start_mark)
        return super().construct_mapping(node, deep=deep)


def read_yaml(content: bytes, where: str) -> object:
    """Read YAML, refusing keys that are there twice. Raises BenchmarkError that names `where` and the line."""
    try:
        return yaml.load(content, _UniqueKeyLoader)  # noqa: S506  # a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise BenchmarkError(f"{where}{place}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise BenchmarkError(f"{where}: {error}") from error


def _sha256(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()
