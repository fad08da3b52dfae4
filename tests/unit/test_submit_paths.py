"""The table of paths agrees with what the resolver serves."""

import pytest

from api.app import app
from handlers.http import paths


def test_every_path_is_served() -> None:
    """The table names exactly the paths and methods that are registered."""
    served = {(route.path, route.method) for route in app._static_routes + app._dynamic_routes}

    assert served == set(paths.METHODS.items())


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/api/health", "GET"),
        ("/api/benchmarks/a", "GET"),
        ("/api/benchmarks/a/submissions", "POST"),
        ("/api/benchmarks/a/submissions/b", "GET"),
        ("/api/benchmarks/a/players/b", "GET"),
        ("/api/benchmarks/a/submissions/b/c", None),
        ("/api/benchmarks//submissions", None),
        ("/api/openapiXjson", None),
        ("/", None),
    ],
)
def test_path_has_one_method_or_none(path: str, method: str | None) -> None:
    """A path takes one method, or is unknown."""
    assert paths.find_method(path) == method
