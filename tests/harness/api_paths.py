"""The paths that the functions behind the API answer, with the method of each."""

from collections.abc import Mapping

from api.app import app
from api.openapi import list_routes
from submit.routes import ROUTES

METHODS: Mapping[str, str] = {
    **{route.path: str(route.method) for route in list_routes(app)},
    **{path: method for path, (method, _) in ROUTES.items()},
}
