"""Checks rules that no public linter has: words, docstrings, names, circles, sizes, repeats."""  # noqa: INP001 — scripts are no package

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import grimp
import yaml

from scripts.checks.line_ceilings import check_ceilings, read_tree
from scripts.tools import ROOT

PRODUCT: Final = ("functions", "layers", "cli", "local", "sandbox", "scripts", "frontend/src", "sdk", "examples")
PROSE: Final = ("docs", "README.md", "CONTRIBUTING.md", "Makefile", "template.yaml", "pyproject.toml")
TESTS: Final = ("tests/", "bench/", "engine/")
NOT_OURS: Final = (
    "*.lock",
    "*/confusables.txt",
    "*/generated/*",
    "*.otf",
    "*.png",
    "*.woff2",
    "*.ttf",
    "*package-lock.json",
    "docs/glossary.md",
    "*/allowed_words.yaml",
)
"""Files that others wrote, that are generated, or that list the retired words."""
ALLOWED: Final = ROOT / "scripts" / "checks" / "allowed_words.yaml"
VARIABLES: Final = frozenset({"one", "told", "found", "known", "here", "said", "where", "who"})
VERBS: Final = frozenset({"give", "tell", "say", "let", "whether"})
"""First words of docstrings that do not describe what a function does or returns."""
MAX_SUMMARY: Final = 80
MAX_HANDLER_LINES: Final = 60
MAX_FILES: Final = 15
MAX_LINE: Final = 120
MAX_WORDS: Final = 80
"""Of the glossary: that many a newcomer can learn."""
PAGES: Final = ("docs/", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
"""Pages whose sentences are wrapped."""
CODE: Final = re.compile(r"`([^`]+)`")
NOBODY: Final = re.compile(r"\b(?:of|to|for|by|from|with|than|what) who\b", re.IGNORECASE)
BEGINS_WITH_WHO: Final = re.compile(r"(?:^|[.:] )Who ")
HUMPS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def main() -> int:
    """Print the violations of the tree; return 1 if there are any."""
    violations = check_tree(ROOT, list_files(ROOT))
    for violation in violations:
        sys.stdout.write(f"{violation}\n")
    return 1 if violations else 0


def check_tree(root: Path, files: Sequence[str]) -> list[str]:
    """Return all violations in files of a tree, named relative to its root."""
    product = [file for file in files if file.startswith(tuple(f"{room}/" for room in PRODUCT))]
    trees = {file: ast.parse((root / file).read_text()) for file in product if file.endswith(".py")}
    glossary = (root / "docs/glossary.md").read_text()
    words = read_retired_words(glossary)
    prose = [file for file in files if file.startswith(PROSE)]
    return [
        *find_retired_words(root, [*product, *prose], words, yaml.safe_load(ALLOWED.read_text())),
        *find_glossary_faults(glossary),
        *find_variables(trees),
        *find_docstrings(trees),
        *find_nameless_people({file: (root / file).read_text() for file in files if _is_ours(file)}),
        *find_shared_class_names(trees),
        *find_long_handlers(root, trees),
        *find_large_folders(product),
        *find_long_lines(
            {file: (root / file).read_text() for file in files if file.startswith(PAGES) and file.endswith(".md")}
        ),
        *find_circles(*tomllib.loads((root / "pyproject.toml").read_text())["tool"]["mypy"]["packages"], "scripts"),
        *check_ceilings(read_tree(root, files)),
        *find_repeats(root),
    ]


def list_files(root: Path) -> list[str]:
    """Return the files that git knows or would add, except those of NOT_OURS."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)  # noqa: S603
    names = [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]
    return [name for name in names if not any(fnmatch(name, pattern) for pattern in NOT_OURS)]


def find_glossary_faults(glossary: str) -> Iterator[str]:
    """Yield each word that is defined twice or retired, and their number if too high."""
    words = Counter(read_defined_words(glossary))
    for word, times in sorted(words.items()):
        if times > 1:
            yield f"docs/glossary.md: `{word}` is defined {times} times"
    for word in sorted(words.keys() & read_retired_words(glossary)):
        yield f"docs/glossary.md: `{word}` is defined and retired"
    if words.total() > MAX_WORDS:
        yield f"docs/glossary.md: at most {MAX_WORDS} words, not {words.total()}: {', '.join(words)}"


def read_defined_words(glossary: str) -> list[str]:
    """Return the words of the tables' first columns, without what is in brackets."""
    rows = re.findall(r"^\| (.+?) \|.*\n(?!\|---)", glossary, re.MULTILINE)
    cells = [re.sub(r" \(.*\)", "", cell) for cell in rows if not cell.startswith("---")]
    return [word.strip() for cell in cells for word in re.split("[,;]", cell)]


def read_retired_words(glossary: str) -> list[str]:
    """Return the words in code font in the last column of the glossary's tables."""
    rows = [line.strip().strip("|").split("|") for line in glossary.splitlines() if line.startswith("|")]
    return [word for row in rows for word in CODE.findall(row[-1])]


def find_retired_words(
    root: Path, files: Iterable[str], words: Sequence[str], allowed: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield each line with a retired word."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, words))})s?\b")
    for file in files:
        excused = {word for path, reasons in allowed.items() if fnmatch(file, path) for word in reasons}
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            text = HUMPS.sub(" ", line).replace("_", " ").lower()
            for word in sorted({match[1] for match in pattern.finditer(text)} - excused):
                yield f"{file}:{number}: `{word}` is retired: see docs/glossary.md"


def find_variables(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each variable and parameter that is not named for the thing."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            name = node.arg if isinstance(node, ast.arg) else node.id if isinstance(node, ast.Name) else ""
            if name in VARIABLES and (isinstance(node, ast.arg) or isinstance(node.ctx, ast.Store)):  # type: ignore[attr-defined]
                yield f"{file}:{node.lineno}: a variable named `{name}`: name it for the thing"  # type: ignore[attr-defined]


def find_docstrings(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each function's docstring with a wrong first word or a long summary."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            summary = (ast.get_docstring(node) or "").partition("\n")[0]
            if summary.partition(" ")[0].lower() in VERBS:
                yield f"{file}:{node.lineno}: {node.name}: start with Return or with what the function does"
            if len(summary) > MAX_SUMMARY:
                yield f"{file}:{node.lineno}: {node.name}: summary: {len(summary)} characters, at most {MAX_SUMMARY}"


def find_nameless_people(texts: Mapping[str, str]) -> Iterator[str]:
    """Yield each place where "who" stands for a person whom no noun names.

    Of Python also each sentence of a docstring that begins so.
    """
    for file, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if match := NOBODY.search(line):
                yield f"{file}:{number}: `{match[0]}`: name the person, as in `the player who`"
        for node in ast.walk(ast.parse(text)) if file.endswith(".py") else ():
            docstring = node.value if isinstance(node, ast.Expr) else None
            if isinstance(docstring, ast.Constant) and isinstance(docstring.value, str):
                for _ in BEGINS_WITH_WHO.finditer(" ".join(docstring.value.split())):
                    yield f"{file}:{docstring.lineno}: a sentence begins with `Who`: name the person"


def find_shared_class_names(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each public class name that two modules share."""
    homes = defaultdict(list)
    for file, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(f"{file}:{node.lineno}")
    for name, places in homes.items():
        if len(places) > 1:
            yield f"{', '.join(places)}: class {name} exists {len(places)} times"


def find_circles(*packages: str) -> Iterator[str]:
    """Yield a circle of modules that import each other, if there is one.

    Late imports count, and those of types alone.
    """
    graph = grimp.build_graph(*packages, cache_dir=None)
    try:
        TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
    except CycleError as error:
        yield f"{' → '.join(reversed(error.args[1]))}: modules import each other"


def find_long_handlers(root: Path, trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each module of the functions with a `lambda_handler` that is too long."""
    for file, tree in trees.items():
        names = {getattr(node, "name", "") for node in tree.body}
        names |= {ast.unparse(node.targets[0]) for node in tree.body if isinstance(node, ast.Assign)}
        lines = len((root / file).read_text().splitlines())
        if file.startswith("functions/") and "lambda_handler" in names and lines > MAX_HANDLER_LINES:
            yield f"{file}: a handler has at most {MAX_HANDLER_LINES} lines, not {lines}"


def find_large_folders(files: Iterable[str]) -> Iterator[str]:
    """Yield each folder with too many files, `__init__.py` not counted."""
    folders = Counter(str(Path(file).parent) for file in files if Path(file).name != "__init__.py")
    for folder, number in sorted(folders.items()):
        if number > MAX_FILES:
            yield f"{folder}: a folder has at most {MAX_FILES} files, not {number}"


def _is_ours(file: str) -> bool:
    return file.startswith((*PRODUCT, *PROSE, *TESTS)) and not file.startswith("tests/hostile/scripts/")


def find_long_lines(pages: Mapping[str, str]) -> Iterator[str]:
    """Yield each line of a page that is too long.

    Rows of tables and fenced code may be as long as they must.
    """
    for page, text in pages.items():
        is_code = False
        for number, line in enumerate(text.splitlines(), 1):
            is_code ^= line.lstrip().startswith("```")
            if len(line) > MAX_LINE and not is_code and not line.lstrip().startswith("|"):
                yield f"{page}:{number}: a line has at most {MAX_LINE} characters, not {len(line)}"


def find_repeats(root: Path) -> Iterator[str]:
    """Yield each pair of places of a block that jscpd finds twice."""
    options = ["--config", str(ROOT / "scripts/checks/jscpd.json"), "--reporters", "ai"]
    rooms = [room for room in PRODUCT if (root / room).exists()]
    done = subprocess.run(["jscpd", *options, *rooms], cwd=root, check=True, capture_output=True, text=True)  # noqa: S603, S607
    for line in done.stdout.replace(f"{root.resolve()}/", "").splitlines():
        if " ~ " in line:
            yield f"{line.strip()}: the same lines: call one piece of code"


if __name__ == "__main__":
    sys.exit(main())
