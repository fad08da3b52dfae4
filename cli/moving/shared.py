"""The benchmark that the readers of foreign programs make: what it takes from them, and what it says of them."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from cli.exit_codes import UsageError
from cli.moving.folder import TAG, Files, Keys
from sandbox.runtimes import SHIPPED, list_locks
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.definition import MAX_RULES_LENGTH
from scoring_core.benchmarks.solutions import write_definition
from scoring_core.benchmarks.terms import MAX_IN_ALL, MAX_PER_DAY
from scoring_core.io.text import is_harmful
from scoring_core.runtimes import DEFAULT_RUNTIME

TEMPLATE: Final = Path(__file__).parents[1] / "templates" / "moved" / "evaluate.py"
PROGRAM: Final = "program.zip"
MAX_SECONDS: Final = 120
MAX_TITLE, MAX_SUMMARY, MAX_LABEL, MAX_DECIMALS = 100, 300, 64, 15
_NOBODY: Final = "you@example.com"
_IS_MAIL: Final = re.compile(r"[^@\s<>,;\"]+@[^@\s<>,;\"]+")
_INSTALLS: Final = re.compile(rb"\binstall\(|\bpip\b")
_SCIENCE: Final = frozenset({"numpy", "scipy", "pandas", "dateutil", "six"})
_IMPORTED_AS: Final = {"scikit-learn": "sklearn", "python-dateutil": "dateutil"}


@dataclass
class ForeignProgram:
    """A program of another platform, and what is known of its challenge.

    Args:
        source: The file that describes it, and the phase.
        title: Of the challenge.
        summary: Its short description, perhaps HTML.
        description: The text of its page, Markdown.
        headers: The columns of its board, as `score_type.headers` has them.
        by: The columns that rank, the first one first.
        takes: The formats of results.
        seconds: How long a run may take there.
        owner: The owner's address; "" if it is not known.
        folders: Folder in the ground truth → its files; `program` has the program.
        phase: The codename of EvalAI's phase; None: the program is Codabench's.
        computed: Columns, how the platform computed each, and of which columns.
        keep: Which results of a player count.
        listed: Whether the board is on lists.
        terms: What players accept.
        submissions: What is limited.
        notes: What a person should read.
    """

    source: str
    title: str
    summary: str
    description: str
    headers: Sequence[Mapping[str, Any]]
    by: Sequence[str]
    takes: Sequence[str]
    seconds: int
    owner: str
    folders: Mapping[str, Files]
    notes: list[str]
    phase: str | None = None
    computed: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    keep: str = "best"
    listed: bool = True
    terms: str = ""
    submissions: dict[str, Any] = field(default_factory=dict)

    def limit_submissions(self, phase: Keys, *, zero_is_none: bool) -> None:
        """Take the limits of a phase.

        Args:
            phase: Has the limits.
            zero_is_none: Whether 0 means that there is no limit; else it means that nobody may submit.
        """
        per_day, in_all = phase.number("max_submissions_per_day"), phase.number("max_submissions")
        if not (per_day is None or 1 <= per_day <= MAX_PER_DAY):
            kept = MAX_PER_DAY if per_day > 0 or (per_day == 0 and zero_is_none) else 1
            meaning = "" if per_day > 0 else ", no limit," if zero_is_none else ", nobody may submit,"
            self.notes.append(f"max_submissions_per_day: {per_day}{meaning} there; per_day: {kept} here")
            per_day = kept
        self.submissions["per_day"] = per_day or 100
        if in_all is not None and in_all > 0:
            self.submissions["in_all"] = min(in_all, MAX_IN_ALL)
            if in_all > MAX_IN_ALL:
                self.notes.append(f"max_submissions: {in_all} there; in_all: {MAX_IN_ALL} here, the most")

    def write(self, name: str) -> Files:
        """Return the files of a benchmark that runs the program, and add to the notes."""
        runtime = self._find_runtime()
        if not _IS_MAIL.fullmatch(self.owner):
            self.notes.append(f"contacts: expected your address in place of {_NOBODY}")
        self.notes.append("players need a token, as they needed an account there: laurel invite; else anonymous: true")
        if self.seconds > MAX_SECONDS:
            self.notes.append(f"a run may take {MAX_SECONDS} s here, {self.seconds} s there")
        page, rules = self.description, shorten_text(self.terms, len(self.terms), "")
        if len(rules) > MAX_RULES_LENGTH:
            self.notes.append(f"the terms are on the page: `rules` takes {MAX_RULES_LENGTH} characters, or an address")
            page = f"{page}\n\n{self.terms}"
        definition = {
            "id": name,
            "title": shorten_text(self.title, MAX_TITLE, name),
            "summary": shorten_text(self.summary, MAX_SUMMARY, "Moved from another platform."),
            **({} if self.listed else {"listed": False}),
            **({"rules": rules} if 0 < len(rules) <= MAX_RULES_LENGTH else {}),
            "scorer": "script",
            **({} if runtime == DEFAULT_RUNTIME else {"runtime": runtime}),
            "parameters": {
                "timeout_seconds": max(1, min(self.seconds, MAX_SECONDS)),
                "memory_mib": 1024,
                "files_mib": 256,
            },
            "ground_truth": PROGRAM,
            "score_type": {"headers": [dict(header) for header in self.headers]},
            "ranking": {"keep": self.keep, "by": [*self.by]},
            "submissions": {"anonymous": False, "takes": [*self.takes], **self.submissions},
            "contacts": {"owner": self.owner if _IS_MAIL.fullmatch(self.owner) else _NOBODY},
        }
        script = TEMPLATE.read_text(encoding="utf-8").replace("PHASE: str | None = None", f"PHASE = {self.phase!r}")
        script = script.replace(
            "COLUMNS: tuple[str, ...] = ()", f"COLUMNS = {tuple(h['name'] for h in self.headers)!r}"
        )
        script = script.replace(
            "COMPUTED: tuple[tuple[str, str, tuple[str, ...]], ...] = ()", f"COMPUTED = {self.computed!r}"
        )
        placed = {
            f"{folder}/{path}": content for folder, files in self.folders.items() for path, content in files.items()
        }
        return {
            "benchmark.yaml": write_definition(definition, about=[f"Of {self.source}; docs/moving.md has the rest."]),
            "evaluate.py": script.encode(),
            PROGRAM: pack(placed),
            "description.md": (page.strip() or "Moved from another platform.").encode() + b"\n",
        }

    def _find_runtime(self) -> str:
        """Return the runtime with what the program imports; note what none has."""
        program = {path: content for path, content in self.folders["program"].items() if path.endswith(".py")}
        own = {PurePosixPath(path).with_suffix("").parts[at] for path in program for at in (0, -1)}
        own |= {part for path in program for part in PurePosixPath(path).parts[:-1]}
        imported = {name for content in program.values() for name in _list_imports(content)}
        foreign = imported - own - sys.stdlib_module_names - {"program"}
        self.notes += [
            f"{path} installs packages, which nothing here can do: take it out"
            for path, content in program.items()
            if _INSTALLS.search(content)
        ]
        if foreign <= _SCIENCE:
            return DEFAULT_RUNTIME
        packages = {name: _list_packages(lock) | _SCIENCE for name, lock in list_locks(SHIPPED).items()}
        best = min(packages, key=lambda name: len(foreign - packages[name]))
        missing = sorted(foreign - packages[best])
        if missing:
            self.notes.append(
                f"the program imports {', '.join(missing)}, of no runtime here: docs/runtimes.md says how to add one"
            )
        return best if foreign & packages[best] - _SCIENCE else DEFAULT_RUNTIME


def choose(items: Sequence[Keys], wanted: str | None, *, keys: Sequence[str]) -> Keys:
    """Return the first phase, or the one of which a key has the wanted value.

    Raises UsageError.
    """
    named = [item for item in items if wanted is None or wanted in {item.text(key) for key in keys}]
    if not named:
        shown = ", ".join(item.text(keys[0]) for item in items)
        raise UsageError(f"--phase: expected one of {shown or 'none'}, found {wanted!r}")
    return named[0]


def note_phase(phase: Keys, phases: Sequence[Keys], *, key: str, start: str, end: str) -> list[str]:
    """Return what is said of a phase's dates, and of the others."""
    name, dates = phase.text(key), f"from {phase.text(start, 'any time')} to {phase.text(end, 'any time')}"
    others = [other.text(key) for other in phases if other is not phase]
    left = f"left out: {', '.join(others)}; each becomes a benchmark of its own by --phase"
    return [f"phase {name!r}, {dates}: no `opens`, no `closes` yet", *([left] if others else [])]


def shorten_text(text: str, length: int, default: str) -> str:
    """Return one line without tags, at most so long; the default if it is empty."""
    line = "".join(letter for letter in " ".join(TAG.sub(" ", text).split()) if not is_harmful(letter))
    return line[:length] or default


def _list_imports(content: bytes) -> Iterator[str]:
    """Yield the top package of each import of a module; none of one that is no Python."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _list_packages(lock: Path) -> frozenset[str]:
    """Return the names by which the packages of a lock are imported."""
    packages = tomllib.loads(lock.read_text(encoding="utf-8")).get("packages", [])
    return frozenset(_IMPORTED_AS.get(package["name"], package["name"].replace("-", "_")) for package in packages)
