"""The paths of the API and the methods that each takes, in the resolver's form: `<name>` stands for one segment."""

import re
from collections.abc import Mapping
from types import MappingProxyType

HEALTH = "/api/health"
BENCHMARKS = "/api/benchmarks"
BENCHMARK = f"{BENCHMARKS}/<benchmark>"
SUBMISSIONS = f"{BENCHMARK}/submissions"
SUBMISSION = f"{SUBMISSIONS}/<submission>"
OPENAPI = "/api/openapi.json"

METHODS: Mapping[str, str] = MappingProxyType(
    {HEALTH: "GET", BENCHMARKS: "GET", BENCHMARK: "GET", SUBMISSIONS: "POST", SUBMISSION: "GET", OPENAPI: "GET"}
)
_PATTERNS = tuple((re.compile(re.sub(r"<\w+>", "[^/]+", path)), method) for path, method in METHODS.items())


def find_method(path: str) -> str | None:
    """Give the one method that a path takes; None where there is no such path."""
    return next((method for pattern, method in _PATTERNS if pattern.fullmatch(path)), None)
