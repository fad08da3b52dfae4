# ruff: noqa: INP001  # an evaluation script stands alone
"""Scores one result by what another platform ran, unchanged: a scoring program of Codabench, or `evaluate` of EvalAI.

evaluate.py RESULT      prints the scores as JSON; exits with 2, and says why, if the player must fix the result

The ground truth, `program.zip`, has the program's files in `program/`. Of Codabench it has the reference data in
`input/ref/`; of EvalAI the annotations in `annotations/`. docs/moving.md says what is different here.
"""

import contextlib
import importlib
import json
import os
import runpy
import shlex
import sys
import tempfile
import traceback
import zipfile
from pathlib import Path
from typing import NoReturn

PHASE: str | None = None
"""The codename of EvalAI's phase; None if the program is Codabench's."""
COLUMNS: tuple[str, ...] = ()
"""The scores that the benchmark has; others that the program gives are left out."""
PLAYERS_FAULTS = (ValueError, LookupError, AssertionError, zipfile.BadZipFile)
"""Errors that mean that the result is wrong, and so does a plain `Exception`. Any other is a fault of the program."""
MAX_UNPACKED_BYTES = 200_000_000
APP = Path(tempfile.mkdtemp())
"""In place of `/app`, which a script cannot write."""


class WrongResult(Exception):
    """The player must fix the result."""


def main() -> None:
    """Score the result that the command line names."""
    streams, printed = (os.dup(1), os.dup(2)), APP / "printed"
    with printed.open("wb") as file:  # whatever the program or a child of it prints may hold the ground truth
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    result = Path(sys.argv[1]).resolve()
    try:
        unpack(Path(__file__).with_name("program.zip"), APP)
        scores = run_program(result) if PHASE is None else call_evaluate(result)
        answer = json.dumps({name: score for name, score in scores.items() if name in COLUMNS})
    except Exception as error:  # noqa: BLE001  # whatever it is, somebody has to read it
        if isinstance(error, (WrongResult, *PLAYERS_FAULTS)) or type(error) is Exception:
            name = "" if isinstance(error, WrongResult) else f"{type(error).__name__}: "
            end(streams[1], f"{name}{error}\n", 2)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, ValueError):  # the program has closed it
                stream.flush()
        # Only the owner reads this.
        end(streams[1], printed.read_text(encoding="utf-8", errors="replace") + traceback.format_exc(), 1)
    end(streams[0], answer, 0)


def end(stream: int, text: str, code: int) -> NoReturn:
    """Write to a stream that the platform reads; exit before others can write."""
    with os.fdopen(stream, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    os._exit(code)


def run_program(result: Path) -> dict[str, float]:
    """Run the command of `metadata.yaml` as Codabench does, and read its scores."""
    folder, output = APP / "program", APP / "output"
    output.mkdir()
    unpack(result, APP / "input" / "res")
    words = [place(word) for word in read_command(folder)]
    at = next((number for number, word in enumerate(words) if word.endswith(".py")), None)
    if at is None:
        raise RuntimeError(f"expected a command that runs a Python file, found {words}")
    script = folder / words[at]  # an absolute path stays as it is
    for source in folder.rglob("*.py"):
        source.write_text(source.read_text(encoding="utf-8").replace("/app/", f"{APP}/"), encoding="utf-8")
    os.chdir(folder)
    sys.path.insert(0, str(script.parent))
    sys.argv = [str(script), *words[at + 1 :]]
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            raise WrongResult(end.code) from end
        if end.code:
            raise RuntimeError(f"the program ended with exit code {end.code}") from end
    if (output / "scores.json").is_file():
        scores = json.loads((output / "scores.json").read_text(encoding="utf-8"))
    elif (output / "scores.txt").is_file():
        lines = (output / "scores.txt").read_text(encoding="utf-8").splitlines()
        scores = dict(line.split(":", 1) for line in lines if ":" in line)
    else:
        raise RuntimeError("the program wrote neither scores.json nor scores.txt")
    return {name.strip(): float(score) for name, score in scores.items()}


def read_command(folder: Path) -> list[str]:
    """Return the words of `command:` in the program's metadata."""
    metadata = next(path for name in ("metadata.yaml", "metadata") if (path := folder / name).is_file())
    for line in metadata.read_text(encoding="utf-8").splitlines():
        key, _, command = line.partition(":")
        if key.strip() == "command":
            return shlex.split(command, comments=True)
    raise RuntimeError(f"{metadata.name} has no command")


def place(word: str) -> str:
    """Return a word of the command with the folders of this run."""
    for folder in ("program", "input", "output"):
        word = word.replace(f"${folder}", str(APP / folder))
    return word.replace("/app/", f"{APP}/")


def call_evaluate(result: Path) -> dict[str, float]:
    """Call `evaluate` as EvalAI does; several splits name their metrics."""
    sys.path[:0] = [str(APP / "program"), str(APP)]
    module = importlib.import_module("program" if (APP / "program" / "__init__.py").is_file() else "program.main")
    if not hasattr(module, "evaluate"):
        module = importlib.import_module("program.main")
    annotations = sorted((APP / "annotations").glob("*"))
    annotation = str(annotations[0]) if annotations else ""
    output = module.evaluate(annotation, str(result), PHASE, submission_metadata={})
    splits = [pair for entry in output["result"] for pair in entry.items()]
    return {
        metric if len(splits) == 1 else f"{split} {metric}": float(score)
        for split, metrics in splits
        for metric, score in metrics.items()
    }


def unpack(path: Path, folder: Path) -> None:
    """Unpack a ZIP; its paths cannot lead elsewhere."""
    with zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MAX_UNPACKED_BYTES:
            raise WrongResult(f"expected at most {MAX_UNPACKED_BYTES} bytes, unpacked")
        archive.extractall(folder)


if __name__ == "__main__":
    main()
