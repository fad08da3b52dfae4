"""The limits of a benchmark's folder: sizes of files, number of examples, characters of texts.

A published benchmark is read without these checks: it was accepted under earlier limits, and must still score results.
"""

import unicodedata
from collections.abc import Iterator, Mapping

from scoring_core.benchmarks.bundle import EXAMPLES_FOLDER, SCRIPT_FOLDER, list_modules
from scoring_core.benchmarks.definition import (
    DEFINITION_FILE,
    DESCRIPTION_FILE,
    EXPECTED_FILE,
    MAX_DESCRIPTION_BYTES,
    MAX_SAMPLE_BYTES,
    SCRIPT_FILE,
    Definition,
)
from scoring_core.benchmarks.terms import find_result_fault
from scoring_core.benchmarks.validation import dotted
from scoring_core.io.formats import FORMATS
from scoring_core.io.limits import MAX_RESULT_BYTES, MAX_SCRIPT_RESULT_BYTES
from scoring_core.io.markdown import MAX_HTML_BYTES, render_markdown
from scoring_core.io.text import is_harmful
from scoring_core.scorers.script import MAX_GROUND_TRUTH_BYTES, MAX_SCRIPT_BYTES
from scoring_core.scorers.script.run import MAX_PAYLOAD_BYTES, ScriptParameters, ScriptRun, bound_packed_bytes

MAX_BYTES: Mapping[str, int] = {
    DEFINITION_FILE: 128_000,
    DESCRIPTION_FILE: MAX_DESCRIPTION_BYTES,
    EXPECTED_FILE: 256_000,
}
"""File → its limit. The description is part of every page, and reading YAML is slow."""
MAX_EXAMPLES = MAX_MODULES = 200


def find_oversize(path: str, content: bytes) -> Iterator[str]:
    """Find out whether a file of a benchmark's folder is too large.

    The size of the bundle limits the ground truth, and `_find_unrunnable` a script.
    """
    limit = MAX_BYTES.get(path, MAX_RESULT_BYTES if path.startswith(EXAMPLES_FOLDER) else None)
    if limit is not None and len(content) > limit:
        yield f"{path}: expected at most {limit} bytes, found {len(content)}"


def find_excess(definition: Definition, files: Mapping[str, bytes]) -> Iterator[str]:
    """Find the faults of a folder: the file, what was expected and what was found."""
    for path, text in _list_texts(definition.model_dump(mode="json")):
        yield from _find_harmful(f"{DEFINITION_FILE}: {path}", text)
    for path, content in files.items():
        yield from _find_harmful(f"{path!r}", path)
        yield from find_oversize(path, content)
    yield from _find_unrunnable(definition, files)
    examples = sum(path.startswith(EXAMPLES_FOLDER) and path != EXPECTED_FILE for path in files)
    if examples > MAX_EXAMPLES:
        yield f"{EXAMPLES_FOLDER.rstrip('/')}: expected at most {MAX_EXAMPLES} files, found {examples}"
    yield from _find_long_page(files.get(DESCRIPTION_FILE, b""))
    yield from _find_bad_sample(definition, files)


def _find_long_page(description: bytes) -> Iterator[str]:
    """Find a description that every page would have to draw."""
    if len(description) > MAX_DESCRIPTION_BYTES:
        return
    size = len(render_markdown(description.decode(errors="replace")).encode())
    if size > MAX_HTML_BYTES:
        yield f"{DESCRIPTION_FILE}: expected at most {MAX_HTML_BYTES} bytes as HTML, found {size}"


def _find_bad_sample(definition: Definition, files: Mapping[str, bytes]) -> Iterator[str]:
    """Find out whether the page of the benchmark can show its sample."""
    file, file_format = definition.sample_file, definition.submissions.takes[0]
    sample = files.get(file)
    if sample is None or not FORMATS[file_format].is_text:
        return
    if len(sample) > MAX_SAMPLE_BYTES:
        yield f"{file}: expected at most {MAX_SAMPLE_BYTES} bytes, found {len(sample)}"
    elif (fault := find_result_fault(sample, file_format)) is not None:
        yield f"{file}: players see it as the body to send: {fault}"


def _find_unrunnable(definition: Definition, files: Mapping[str, bytes]) -> Iterator[str]:
    """Find a script, or a ground truth, that is too large for its sandbox."""
    script, name = files.get(SCRIPT_FILE, files.get(SCRIPT_FOLDER + SCRIPT_FILE)), definition.ground_truth
    if script is None or not definition.runs_script:
        return
    truths = (files.get(each or "") for each in (name, definition.final and definition.final.ground_truth))
    ground_truth = max((truth for truth in truths if truth is not None), key=len, default=None)
    modules = list_modules(files)
    if len(modules) > MAX_MODULES:
        yield f"{SCRIPT_FOLDER}: expected at most {MAX_MODULES} files beside {SCRIPT_FILE}, found {len(modules)}"
    beside = len(ground_truth or b"") + sum(map(len, modules.values()))
    if len(script) > MAX_SCRIPT_BYTES:
        yield f"{SCRIPT_FILE}: expected at most {MAX_SCRIPT_BYTES} bytes, found {len(script)}"
    elif beside > MAX_GROUND_TRUTH_BYTES:
        shown = " and ".join(filter(None, (name, SCRIPT_FOLDER if modules else None)))
        yield f"{shown}: expected at most {MAX_GROUND_TRUTH_BYTES} bytes beside a script, found {beside}"
    elif not definition.runs_own:
        run = ScriptRun(
            script, b"", ScriptParameters(), ground_truth=ground_truth, ground_truth_name=name or "", modules=modules
        )
        largest = min(definition.submissions.max_bytes, MAX_SCRIPT_RESULT_BYTES)
        size = len(run.to_payload()) + bound_packed_bytes(largest)
        if size > MAX_PAYLOAD_BYTES:
            shown = " and ".join(filter(None, (SCRIPT_FOLDER if modules else SCRIPT_FILE, name)))
            yield (
                f"{shown}: packed, beside a result of {largest} bytes (submissions.max_bytes), expected at most "
                f"{MAX_PAYLOAD_BYTES} bytes, found {size}"
            )


def _find_harmful(path: str, text: str) -> Iterator[str]:
    harmful = next(filter(is_harmful, text), None)
    if harmful is not None:
        hint = "; in YAML `>-` omits the last line break" if harmful == "\n" else ""
        name = unicodedata.name(harmful, "")
        shown = f"U+{ord(harmful):04X} ({name})" if name else f"U+{ord(harmful):04X}"
        yield f"{path}: expected one line without control, invisible or unassigned characters, found {shown}{hint}"


def _list_texts(value: object, *steps: int | str) -> Iterator[tuple[str, str]]:
    """Yield the path of every text of a definition, and the text."""
    if isinstance(value, str):
        yield dotted(steps), value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _list_texts(inner, *steps, key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _list_texts(inner, *steps, index)
