"""The paths that the functions behind the API answer, with the methods of each."""

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
