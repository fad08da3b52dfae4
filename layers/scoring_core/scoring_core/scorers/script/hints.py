"""Advice on exceptions that evaluation scripts of other platforms often end with."""

import re

_MAX_LINE_BYTES = 500
_MAX_TRACE_BYTES = 4000
_ITSELF = re.compile(r"(?:AttributeError|ImportError): .*?(?:module|from) (?:partially initialized module )?'evaluate'")
_RELATIVE = re.compile(r"ImportError: attempted relative import")
_MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
_INSTALLS = re.compile(r"(?:subprocess\.)?CalledProcessError: .{0,300}?\bpip\b")
_MISSING_FILE = re.compile(r"FileNotFoundError: \[Errno 2\] ")
_CLOSED_FOLDER = re.compile(r"(?:PermissionError: \[Errno 13\]|OSError: \[Errno 30\]) ")
_WRITES = re.compile(r"""open\([^\n]{0,300}["'][wax][bt+]{0,2}["']|\.(?:write_|to_csv|mkdir|touch|save)|makedirs""")
_NUMPY_VALUE = re.compile(r"TypeError: Object of type ((u?int|float|bool)(?:\d+|_)?|ndarray) is not JSON serializable")

_WRITE = "a script can write in the folder in which it starts, and in /tmp"
_ADVICE = (
    (_ITSELF, "`import evaluate` in evaluate.py imports the script itself; no runtime has the package of that name"),
    (_RELATIVE, "`import utils`, without a dot, finds a module beside evaluate.py, in a folder evaluate/"),
    (
        _MISSING_MODULE,
        (
            "the runtime of this benchmark has no {0!r}: `runtime:` in benchmark.yaml names another, as learning with "
            "scikit-learn; modules of your own belong into a folder evaluate/, with evaluate.py"
        ),
    ),
    (_INSTALLS, "nothing can be installed while a script runs: `runtime:` in benchmark.yaml names what it may import"),
    (_CLOSED_FOLDER, _WRITE),
    (
        _MISSING_FILE,
        'the ground truth is beside evaluate.py: Path(__file__).with_name("…"); the result is sys.argv[1]',
    ),
)


def find_advice(stderr: bytes) -> str:
    """Return what to do about the exception that a script ended with; "" for others.

    >>> find_advice(b"TypeError: Object of type bool_ is not JSON serializable")
    'write bool(value) for a bool_ of numpy'
    """
    before, _, line = stderr.rstrip()[-_MAX_TRACE_BYTES:].decode(errors="replace").rpartition("\n")
    line = line[:_MAX_LINE_BYTES]
    if value := _NUMPY_VALUE.match(line):
        plain = f"{value[2].removeprefix('u')}(value)" if value[2] else "value.tolist()"
        return f"write {plain} for {'an' if value[1][0] in 'iu' or not value[2] else 'a'} {value[1]} of numpy"
    if _MISSING_FILE.match(line) and _WRITES.search(before[-_MAX_LINE_BYTES:]):
        return _WRITE
    matches = ((pattern.match(line), advice) for pattern, advice in _ADVICE)
    return next((advice.format(*match.groups()) for match, advice in matches if match), "")
