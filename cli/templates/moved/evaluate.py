# ruff: noqa: INP001  # an evaluation script stands alone
"""Scores one result by what another platform ran, unchanged: a scoring program of Codabench, or `evaluate` of EvalAI.

evaluate.py RESULT      prints the scores as JSON; exits with 2, and says why, if the player must fix the result

The ground truth, `program.zip`, has the program's files in `program/`. Of Codabench it has the reference data in
`input/ref/`; of EvalAI the annotations in `annotations/`. docs/moving.md says what is different here.
"""

import ast
import builtins
import contextlib
import dis
import importlib
import json
import linecache
import math
import os
import re
import resource
import runpy
import shlex
import sys
import tempfile
import threading
import traceback
import zipfile
import zlib
from collections.abc import Callable, Collection
from numbers import Number
from pathlib import Path, PurePosixPath
from types import FrameType, ModuleType, TracebackType
from typing import Any, NoReturn

PHASE: str | None = None
"""The codename of EvalAI's phase; None if the program is Codabench's."""
COLUMNS: tuple[str, ...] = ()
"""The scores that the benchmark has; others that the program gives are left out."""
COMPUTED: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
"""Columns that Codabench itself computed: how, and of which columns, hidden ones among them."""
FAULTS_OF_CODE = (ArithmeticError, AttributeError, ImportError, MemoryError, NameError, RuntimeError, TypeError)
"""Errors of the program that never mean that the result is wrong; of others `is_players` decides."""
HIDDEN_NAMES = {"__macosx", "__pycache__", "desktop.ini", "thumbs.db"}
MAX_UNPACKED_BYTES = 200_000_000
APP = Path(tempfile.mkdtemp())
"""In place of `/app`, which a script cannot write."""
OWN = (APP / "annotations", APP / "input", APP / "program")
"""Where the owner's files are; the result is below `input`, too, if the program is Codabench's."""

_COMPUTATIONS: dict[str, Callable[[list[Any]], float]] = {
    "avg": lambda scores: sum(scores) / len(scores),
    "sum": sum,
    "min": min,
    "max": max,
}
_EXIT, _PROCESS = os._exit, os.getpid()
_APP = re.compile(rb"""(?<![\w./}-])/app(?=[/'"\s]|\Z)""")
_MAX_NAMED = 5


class WrongResult(Exception):
    """The player must fix the result."""


def main() -> None:
    """Score the result that the command line names."""
    streams, printed = (os.dup(1), os.dup(2)), APP / "printed"
    with printed.open("wb") as file:  # whatever the program or a child of it prints may hold the ground truth
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")  # else joblib warns that there are no semaphores
    result = Path(sys.argv[1]).resolve()

    def stop(reason: str) -> NoReturn:
        """End; the owner reads what was printed, and why it ended."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, ValueError):  # the program has closed it
                stream.flush()
        end(streams[1], printed.read_text(encoding="utf-8", errors="replace") + reason, 1)

    # Only a child of the program may end so: the program would pass for a script that found the result invalid.
    os._exit = lambda status: (
        stop(f"the program ended itself by os._exit({status})\n") if os.getpid() == _PROCESS else _EXIT(status)
    )
    limit = resource.getrlimit(resource.RLIMIT_CPU)[0] // (os.cpu_count() or 1)  # a second longer than the run may take
    if limit != resource.RLIM_INFINITY:
        seconds = 0.95 * (limit - 1)
        late = threading.Timer(seconds, stop, [f"the program did not end within {seconds:g} seconds\n"])
        late.daemon = True
        late.start()
    try:
        unpack(Path(__file__).with_name("program.zip"), APP)
        scores = score_by_program(result) if PHASE is None else score_by_evaluate(result)
        answer = json.dumps({name: score for name, score in scores.items() if name in COLUMNS})
    except WrongResult as error:
        end(streams[1], f"{str(error).replace(str(APP), '/app')}\n", 2)
    except BaseException:  # noqa: BLE001  # whatever it is, the owner reads it
        stop(traceback.format_exc())
    end(streams[0], answer, 0)


def end(stream: int, text: str, code: int) -> NoReturn:
    """Write to a stream that the platform reads; exit before others can write."""
    with os.fdopen(stream, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    _EXIT(code)


def score_by_program(result: Path) -> dict[str, float | None]:
    """Run the command of `metadata.yaml` as Codabench does, and read its scores."""
    folder, inbox, output = APP / "program", APP / "input" / "res", APP / "output"
    output.mkdir()
    script, *arguments = read_command(folder)
    for source in folder.rglob("*.py"):
        source.write_bytes(_APP.sub(bytes(APP), source.read_bytes()))
    try:
        names = unpack(result, inbox, hidden=False)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise WrongResult(f"the ZIP cannot be unpacked: {error}") from error
    os.chdir(folder)
    sys.path.insert(0, str(Path(script).parent))
    sys.argv = [script, *arguments]
    call(lambda: runpy.run_path(script, run_name="__main__"), inbox, names)
    scores = read_scores(output)
    for name, how, columns in COMPUTED:
        values = [scores.get(column) for column in columns]
        scores[name] = None if None in values else _COMPUTATIONS[how](values)
    return scores


def score_by_evaluate(result: Path) -> dict[str, float | None]:
    """Call `evaluate` as EvalAI does; several splits name their metrics."""
    sys.path[:0] = [str(APP / "program"), str(APP)]
    module = importlib.import_module("program" if (APP / "program" / "__init__.py").is_file() else "program.main")
    if not hasattr(module, "evaluate"):
        module = importlib.import_module("program.main")
    annotation = str(next(iter((APP / "annotations").glob("*")), ""))
    output = call(lambda: module.evaluate(annotation, str(result), PHASE, submission_metadata={}), result, [])
    splits = [pair for entry in output["result"] for pair in entry.items()]
    return {
        column: read_score(score)
        for split, metrics in splits
        for metric, score in metrics.items()
        if (column := metric if len(splits) == 1 else f"{split} {metric}") in COLUMNS
    }


def call(run: Callable[[], Any], result: Path, names: list[str]) -> Any:
    """Run the program, and tell what is wrong with the result from other faults.

    Args:
        run: Runs it.
        result: The file or folder that it reads as the result.
        names: The files of that folder.
    """
    origins = Origins(result)
    sys.addaudithook(origins.watch)
    try:
        return run()
    except SystemExit as exit_:
        if isinstance(exit_.code, str):
            raise WrongResult(exit_.code) from exit_
        if exit_.code:
            raise RuntimeError(f"the program ended with exit code {exit_.code}") from exit_
        return None
    except Exception as error:
        if is_players(error, result, origins):
            raise WrongResult(describe(error, result, names)) from error
        raise


class Origins:
    """Knows whether the program made a value after it had opened the result, or its own data.

    What exists when a file is opened was made of what was opened before; what a value holds is of the same.
    """

    def __init__(self, result: Path) -> None:
        self._result = result
        self._is_result = False
        self._known: dict[int, tuple[Any, bool]] = {}  # the values stay, so that no other has the address of one

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note what there is when a file is opened or a folder listed: an audit hook."""
        if event not in {"open", "os.listdir", "os.scandir"} or str(arguments[0]).endswith((".py", ".pyc")):
            return
        is_result = is_below(arguments[0], self._result)
        if is_result or any(is_below(arguments[0], folder) for folder in OWN):
            for address, (value, _) in list(self._known.items()):
                if sys.getrefcount(value) < 4:  # noqa: PLR2004  # pair, variable, call: the program dropped it
                    del self._known[address]
            for frame, _ in traceback.walk_stack(sys._getframe(1)):  # noqa: SLF001  # the stack of the event
                self._note(frame)
            self._is_result = is_result

    def has_result(self, trace: TracebackType) -> bool:
        """Return whether what failed has a value of the result.

        A variable that was made since tells it by what was assigned to it. If nothing tells, the question is whether
        the result was opened last.
        """
        variables = {**vars(builtins), **trace.tb_frame.f_globals, **trace.tb_frame.f_locals}
        is_result = self._is_result  # before `_compare` opens files
        names, attributes, made = read_failure(trace, variables.keys())
        literals = {name for name in names if name in made and not made[name]}
        values = [(variables[name], name) for name in names - literals if name in variables]
        values += [(each, "") for held, _ in values for key, each in list_attributes(held).items() if key in attributes]

        def find(value: Any, name: str, seen: frozenset[str]) -> bool | None:
            with contextlib.suppress(LookupError):
                return self._find(value)
            others = made.get(name, set()) & variables.keys() - seen
            origins = {find(variables[other], other, seen | others) for other in others} - {None}
            return True in origins if origins else is_result

        origins = {find(value, name, frozenset({name})) for value, name in values if not list_attributes(value)}
        return True in origins or (is_result and not (False in origins or literals))

    def _note(self, frame: FrameType) -> None:
        if is_own(frame):
            for value in [*frame.f_globals.values(), *frame.f_locals.values()]:
                for each in (value, *list_attributes(value).values()):
                    self._known.setdefault(id(each), (each, self._is_result))

    def _find(self, value: Any) -> bool | None:
        """Return whether it is of the result; None: no telling; KeyError: made since."""
        if value is None or callable(value) or isinstance(value, ModuleType):
            return None
        if isinstance(value, str | Number):
            return self._compare(str(value))
        for holder, is_result in self._known.values():
            held = holder.values() if isinstance(holder, dict) else holder
            if isinstance(holder, dict | list | tuple) and any(value is each for each in held):
                return is_result
        return self._known[id(value)][1]

    def _compare(self, text: str) -> bool | None:
        """Return whether a text is in the result alone; None if in no file."""
        if text.startswith("/"):
            return is_below(text, self._result) or None
        word = re.compile(rb"(?<!\w)" + re.escape(text.strip().encode(errors="replace")) + rb"(?!\w)")
        files = [self._result, *self._result.rglob("*"), *(path for folder in OWN for path in folder.rglob("*"))]
        holders = [path for path in files if path.is_file() and word.search(path.read_bytes())]
        return all(is_below(path, self._result) for path in holders) if holders else None


def list_attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object of a class of the program."""
    is_ours = type(value).__module__ == "__main__" or is_below(
        getattr(sys.modules.get(type(value).__module__), "__file__", None), APP / "program"
    )
    return vars(value) if is_ours and hasattr(value, "__dict__") else {}


def read_failure(trace: TracebackType, defined: Collection[str]) -> tuple[set[str], set[str], dict[str, set[str]]]:
    """Return variables and attributes of what failed, and what each was made of.

    What failed is the smallest expression around it of which all variables are known, or its statement.
    """
    code = trace.tb_frame.f_code
    tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    line, last_line, begin, end_ = list(code.co_positions())[trace.tb_lasti // 2]
    nodes: list[Any] = [node for node in ast.walk(tree) if hasattr(node, "end_lineno")]
    made: dict[str, set[str]] = {}
    for node in nodes:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                made.setdefault(target.id, set()).update(list_names(node.value))
    for node in reversed(nodes):
        first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        if first <= (line, begin) and (last_line, end_) <= last:
            names, parts = list_names(node), ast.walk(node)
            if (names and names.issubset(defined)) or isinstance(node, ast.stmt):
                return names, {part.attr for part in parts if isinstance(part, ast.Attribute)}, made
    return set(), set(), made


def list_names(node: ast.AST) -> set[str]:
    """Return the variables that an expression or statement reads."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}


def is_players(error: Exception, result: Path, origins: Origins) -> bool:
    """Return whether the program failed on the result; in doubt it did not.

    What the program raises itself is about the result. Any other error is about what the expression that failed was
    made of.
    """
    if isinstance(error, OSError) and (error.filename, error.errno) != (None, None):
        return is_below(error.filename, result)
    if isinstance(error, FileNotFoundError) and f"{result}/" in str(error):  # numpy names it in its message alone
        return True
    is_of_code = isinstance(error, SyntaxError) and Path(error.filename or "").is_file()
    if is_of_code or (isinstance(error, FAULTS_OF_CODE) and type(error).__module__ == "builtins"):
        return False
    own, trace = None, error.__traceback__
    while trace is not None:
        own, trace = trace if is_own(trace.tb_frame) else own, trace.tb_next
    if own is None:
        return False
    raises = dis.opname[own.tb_frame.f_code.co_code[own.tb_lasti]] == "RAISE_VARARGS"
    return raises or origins.has_result(own)


def is_own(frame: FrameType) -> bool:
    """Return whether a frame runs code of the program; `<frozen runpy>` does not."""
    return frame.f_code.co_filename.startswith(f"{APP}/program/")


def is_below(path: object, folder: Path) -> bool:
    """Return whether something names a file in this folder, or the folder."""
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    return f"{os.path.abspath(os.fsdecode(path))}/".startswith(f"{folder}/")  # noqa: PTH100  # follows no link


def describe(error: Exception, result: Path, names: list[str]) -> str:
    """Return what the player reads, and what is in the ZIP."""
    shown = ", ".join(names[:_MAX_NAMED]) + (f" and {len(names) - _MAX_NAMED} more" if names[_MAX_NAMED:] else "")
    if isinstance(error, FileNotFoundError) and error.filename is not None and names:
        return f"no {os.path.relpath(error.filename, result)} in the ZIP; found {shown}"
    is_misplaced = names and (isinstance(error, OSError) or all("/" in name for name in names))
    message = f"{type(error).__name__}: {error}"
    return f"{message.rstrip('.')}; the ZIP has {shown}" if is_misplaced else message


def read_scores(output: Path) -> dict[str, float | None]:
    """Return the scores that a scoring program wrote and somebody asks for."""
    if (output / "scores.json").is_file():
        written = json.loads((output / "scores.json").read_text(encoding="utf-8"))
    elif (output / "scores.txt").is_file():
        lines = (output / "scores.txt").read_text(encoding="utf-8").splitlines()
        written = dict(line.split(":", 1) for line in lines if ":" in line)
    else:
        raise RuntimeError("the program wrote neither scores.json nor scores.txt")
    columns = {*COLUMNS, *(column for _, _, columns in COMPUTED for column in columns)}
    return {key: read_score(score) for name, score in written.items() if (key := name.strip()) in columns}


def read_score(score: Any) -> float | None:
    """Return a number; None, which is no value, for what is not finite."""
    return float(score) if score is not None and math.isfinite(float(score)) else None


def read_command(folder: Path) -> list[str]:
    """Return the Python file that the program's metadata runs, and its arguments."""
    words = [place(word) for word in find_command(folder)]
    at = next(number for number, word in enumerate(words) if word.endswith(".py"))
    return [str(folder / words[at]), *words[at + 1 :]]  # an absolute path stays as it is


def find_command(folder: Path) -> list[str]:
    """Return the words of `command:` in the program's metadata."""
    metadata = next(path for name in ("metadata.yaml", "metadata") if (path := folder / name).is_file())
    for line in metadata.read_text(encoding="utf-8").splitlines():
        key, _, command = line.partition(":")
        if key.strip() == "command":
            return shlex.split(command, comments=True)
    return []


def place(word: str) -> str:
    """Return a word of the command with the folders of this run."""
    for folder in ("program", "input", "output"):
        word = word.replace(f"${folder}", str(APP / folder))
    return _APP.sub(bytes(APP), word.encode()).decode()


def unpack(path: Path, folder: Path, *, hidden: bool = True) -> list[str]:
    """Unpack a ZIP, whose paths cannot lead elsewhere; return its files.

    Without `hidden` what begins with a dot, and what systems add, is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path) as archive:
        entries = [entry for entry in archive.infolist() if hidden or not is_hidden(entry.filename)]
        if sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
            raise ValueError(f"expected at most {MAX_UNPACKED_BYTES} bytes, unpacked")
        archive.extractall(folder, entries)
    return [entry.filename for entry in entries if not entry.is_dir()]


def is_hidden(path: str) -> bool:
    """Return whether a file of a ZIP is none of those that its maker saw."""
    return any(name.startswith(".") or name.lower() in HIDDEN_NAMES for name in PurePosixPath(path).parts)


if __name__ == "__main__":
    main()
