"""The paths that the functions behind the API answer, with the methods of each, and bodies that fit them."""

import json
from collections.abc import Mapping, Sequence

from api.app import app
from api.openapi import list_routes
from submit import routes

_TAKEN = {path: method for path, (method, _) in routes.ROUTES.items()}
ROUTES: Sequence[tuple[str, str]] = sorted(
    {*((route.path, str(route.method)) for route in list_routes(app)), *_TAKEN.items()}
)
METHODS: Mapping[str, str] = {path: " ".join(method for other, method in ROUTES if other == path) for path, _ in ROUTES}
"""Path → its methods, with a space between them."""
_BODIES = {
    route.path: route.dependant.body_params[0].type_ for route in list_routes(app) if route.dependant.body_params
}
_ALWAYS = {"name": "Nobody", "benchmark": "tiny", "reason": "mine", "until": "2099-01-01T00:00:00Z"}
_NEEDED = {
    "bytes": 1,
    "filename": "a.json",
    "replaces": None,
    "solution": "id,y\n1,2\n",
    "metric": "rmse",
    "player": "nobody",
    "code": "BBBBB-BBBBB",
    "addresses": [],
    "confirm": "another",
    "operation": "sweep",
    "runner": "gpu",
    "versions": ["0" * 16],
    "sandbox": "none",
    "version": "0" * 16,
    "lease": "1",
    "outcome": "invalid",
    "parts": ["0" * 64],
}


def make_body(path: str) -> bytes:
    """Return the shortest body that fits the model of a path; `{}` where there is none."""
    fields = _BODIES[path].model_fields if path in _BODIES else {}
    said = {name: value for name, value in _ALWAYS.items() if name in fields}
    needed = {name: _NEEDED[name] for name, field in fields.items() if field.is_required()}
    return json.dumps({**said, **needed}).encode()
