"""The paths of the API and the methods that each takes, in the resolver's form: `<name>` stands for one segment."""

import re
from collections.abc import Mapping
from types import MappingProxyType

HEALTH = "/api/health"
BENCHMARKS = "/api/benchmarks"
BENCHMARK = f"{BENCHMARKS}/<benchmark>"
SUBMISSIONS = f"{BENCHMARK}/submissions"
SUBMISSION = f"{SUBMISSIONS}/<submission>"
RESULT = f"{SUBMISSION}/result"
WITHDRAWAL = f"{SUBMISSION}/withdrawal"
ERRORS = f"{BENCHMARK}/errors"
PLAYER = f"{BENCHMARK}/players/<player>"
OPENAPI = "/api/openapi.json"

METHODS: Mapping[str, str] = MappingProxyType(
    {
        HEALTH: "GET",
        BENCHMARKS: "GET",
        BENCHMARK: "GET",
        SUBMISSIONS: "POST",
        SUBMISSION: "GET",
        RESULT: "GET",
        WITHDRAWAL: "POST",
        PLAYER: "GET",
        ERRORS: "GET",
        OPENAPI: "GET",
    }
)


def _compile(path: str) -> re.Pattern[str]:
    return re.compile("/".join("[^/]+" if part.startswith("<") else re.escape(part) for part in path.split("/")))


_PATTERNS = tuple((_compile(path), method) for path, method in METHODS.items())


def find_method(path: str) -> str | None:
    """Give the one method that a path takes; None where there is no such path."""
    return next((method for pattern, method in _PATTERNS if pattern.fullmatch(path)), None)
