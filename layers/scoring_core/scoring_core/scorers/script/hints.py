"""Advice on exceptions that evaluation scripts of other platforms often end with."""

import re

_MAX_LINE_BYTES = 500
_MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
_MISSING_FILE = re.compile(r"FileNotFoundError: \[Errno 2\] ")
_NUMPY_VALUE = re.compile(r"TypeError: Object of type ((u?int|float|bool)(?:\d+|_)?|ndarray) is not JSON serializable")


def find_advice(stderr: bytes) -> str:
    """Return what to do about the exception that a script ended with; "" for others.

    >>> find_advice(b"TypeError: Object of type bool_ is not JSON serializable")
    'write bool(value) for a bool_ of numpy'
    """
    line = stderr.rstrip().rpartition(b"\n")[2][:_MAX_LINE_BYTES].decode(errors="replace")
    if missing := _MISSING_MODULE.match(line):
        return (
            f"the runtime of this benchmark has no {missing[1]!r}: `runtime:` in benchmark.yaml names another, as "
            "learning with scikit-learn; modules of your own belong into a folder evaluate/, with evaluate.py"
        )
    if _MISSING_FILE.match(line):
        return 'the ground truth is beside evaluate.py: Path(__file__).with_name("…"); the result is sys.argv[1]'
    if value := _NUMPY_VALUE.match(line):
        plain = f"{value[2].removeprefix('u')}(value)" if value[2] else "value.tolist()"
        return f"write {plain} for {'an' if value[1][0] in 'iu' or not value[2] else 'a'} {value[1]} of numpy"
    return ""
