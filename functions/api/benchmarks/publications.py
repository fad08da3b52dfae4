"""Routes of publishing: a form to upload a bundle with, the start of its check, and how that ended."""

from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, ClassVar, Literal

from aws_lambda_powertools.event_handler import Response
from pydantic import Field

from api.benchmarks.rescores import check_not_archived
from api.benchmarks.views import FolderView, PublicationTicket, PublicationView
from api.dependencies import ApiServices, identify, logger, make_router, services
from api.reasons import OptionalReasonRequest
from handlers.http import paths
from handlers.http.bodies import Body
from handlers.http.problems import Problem, not_found, unprocessable
from handlers.http.quotas import charge_owner
from scoring_core.benchmarks.bundle import MAX_BUNDLE_BYTES
from scoring_core.benchmarks.salts import SALT_FILE, make_salt, pack_salt
from scoring_core.benchmarks.terms import is_benchmark_id
from scoring_core.errors import BenchmarkError
from scoring_core.urls import publication_url
from storage.actors import Actor
from storage.benchmarks.publications import (
    TWO_TRIES,
    UPLOAD_SECONDS,
    PublicationId,
    PublicationRequest,
)
from storage.gateway.errors import StoreError
from storage.keys import is_submission_id, make_submission_id, time_of

MAX_PER_DAY = 200
"""Forms and starts of a player together; each start may occupy a function for ten minutes."""
MAX_RUNNING = 2
"""Of a player at a time: examples that take their 8 minutes hold up nobody else's."""
RETRY_SECONDS = 60
PATIENCE = timedelta(hours=2, minutes=30)
"""Longer than an upload, two tries of the check, and a third by the schedule may take."""
_PUBLISHER = "expected the token of a publisher"
_QUOTA = "@publish"
"""In place of a benchmark, because a publisher may create many; no id of a benchmark has an @."""
router = make_router()


class BundleRequest(Body):
    """The bundle that is to be uploaded."""

    bytes: Annotated[int, Field(ge=1, le=MAX_BUNDLE_BYTES, description="The size of the ZIP.")]


class SolutionRequest(Body):
    """A table with the right answers, and how results are compared with it."""

    MAX_BYTES: ClassVar = 1_000_000
    solution: str = Field(description="CSV or TSV with a header; one column names the rows, another has the answers.")
    form: Literal["csv", "tsv"] = "csv"
    metric: Annotated[str, Field(max_length=64, description="A metric of the scorer `table`, such as `rmse`.")]
    id: str | None = Field(None, description="The column that names a row; guessed if it is left out.")
    target: str | None = Field(None, description="The column with the answers; guessed if it is left out.")


class StartRequest(OptionalReasonRequest):
    """What a publication replaces, and what is said of it if it corrects scores."""

    replaces: Annotated[int, Field(ge=0, le=2**53)] | None = Field(
        description="`replaces` of the form; null: it is only checked, and nothing is published."
    )


@router.post(paths.SOLUTION, tags=["benchmarks"])
def post_solution(benchmark: str, request: SolutionRequest) -> FolderView:
    """Make the files of a benchmark from a table with the right answers, for owners.

    Nothing is stored: change them, and publish them as any other. Raises Problem as `post_publication`, 422 if the
    table or the metric does not fit.
    """
    from scoring_core.benchmarks.solutions import move_solution  # noqa: PLC0415  # no other request needs it

    api = services()
    _admit(api, benchmark)
    columns = {"id_": request.id, "target": request.target}
    try:
        moved = move_solution(request.solution, benchmark, request.metric, form=request.form, **columns)
    except BenchmarkError as error:
        raise unprocessable("not-a-solution", str(error), pointer="") from error
    files = moved.files | {SALT_FILE: pack_salt(make_salt(api.randomness))}
    return FolderView(files={path: content.decode() for path, content in files.items()}, notes=moved.notes)


@router.post(paths.PUBLICATIONS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_publication(benchmark: str, request: BundleRequest) -> Response[PublicationTicket]:
    """Get a form to upload a benchmark's files with, as one ZIP, for owners.

    Raises:
        Problem: 401 no token, 403 not the owner, 409 the benchmark is archived, 429 too many.
    """
    api = services()
    actor, published = _admit(api, benchmark)
    now = api.clock()
    publication = PublicationId(benchmark, actor.id, make_submission_id(now, api.randomness(10)))
    form = api.publications.sign_upload(publication, size_bytes=request.bytes)
    url = publication_url(benchmark, publication.id)
    ticket = PublicationTicket(
        publication=publication.id,
        url=form.url,
        fields=form.fields,
        expires_at=now + timedelta(seconds=UPLOAD_SECONDS),
        replaces=published,
        start_url=f"{url}/start",
        status_url=url,
    )
    return Response(HTTPStatus.CREATED, "application/json", ticket, headers={"Location": url})


@router.post(paths.START, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_publication_start(benchmark: str, publication: str, request: StartRequest) -> PublicationView:
    """Check what was uploaded as `laurel check` does, and publish it if it passes.

    With `replaces` null it is only checked. A repeat returns how it goes. Raises Problem as `post_publication`, 404 if
    nothing was uploaded, 409 if somebody else has published in the meantime, 429 if others of the player are checked.
    """
    api, caller = services(), identify()
    caller.check_token(_PUBLISHER)
    published = _read_number(api, benchmark)
    # Somebody else may have created it meanwhile: that is a conflict, and no question of rights.
    replaces = published if request.replaces is None else request.replaces
    actor = caller.check_publisher(benchmark, is_new=replaces == 0)
    asked = _read_id(benchmark, publication, actor.id)
    accepted = PublicationRequest(
        **asked._asdict(), role=actor.role, replaces=request.replaces, reason=request.reason or ""
    )
    if api.publications.is_requested(asked):
        return _view(api, asked)
    is_uploaded = api.publications.is_uploaded(asked)
    # Read after these two: what publishes writes the report before it deletes request and bundle.
    if api.publications.find_report(asked) is not None:
        return _view(api, asked)
    if not is_uploaded:
        raise not_found("nothing was uploaded; send the form first")
    if replaces != published:
        detail = (
            f"{benchmark}: somebody published it since you asked for the form (number {published}, expected "
            f"{replaces}); if yours is to replace that, publish it again"
        )
        raise Problem(HTTPStatus.CONFLICT, "published-meanwhile", detail)
    if api.publications.put_request(accepted):
        _pass_on(api, accepted)
    logger.info("publication started", extra={"benchmark": benchmark, "publication": publication})
    return PublicationView(benchmark=benchmark, publication=publication, status="checking")


def _pass_on(api: ApiServices, request: PublicationRequest) -> None:
    """Start the check, or withdraw the request. Raises Problem 429, Busy."""
    try:
        _check_running(api, request.actor)
        _charge(api, request.actor)
        api.publishing.start(request.model_dump(mode="json"))
    except (Problem, StoreError):
        api.publications.withdraw_request(request.publication)
        raise


def _check_running(api: ApiServices, actor: Actor) -> None:
    # Counted after the request was written. If it came before, several at once would each count none of the others.
    running = api.publications.count_running(actor.id, since=api.clock() - TWO_TRIES)
    if running > MAX_RUNNING:
        detail = (
            f"{MAX_RUNNING} publications of yours are still being checked; start this one again when one of them "
            "has ended"
        )
        headers = {"Retry-After": str(RETRY_SECONDS)}
        raise Problem(HTTPStatus.TOO_MANY_REQUESTS, "publications-running", detail, headers=headers)


@router.get(paths.PUBLICATION, tags=["benchmarks"])
def get_publication(benchmark: str, publication: str) -> PublicationView:
    """Show how publishing ended, with the outcome of every example.

    Raises Problem 401, or 404 if it is not the caller's.
    """
    player = identify().check_token(_PUBLISHER)[0].player
    return _view(services(), _read_id(benchmark, publication, player.id))


def _view(api: ApiServices, asked: PublicationId) -> PublicationView:
    """Return how a publication goes, or ended. Raises Problem 404."""
    about = {"benchmark": asked.benchmark, "publication": asked.id}
    report = api.publications.find_report(asked)
    if report is not None:
        fields = {name: getattr(report, name) for name in PublicationView.model_fields if hasattr(report, name)}
        return PublicationView(**about, **fields)
    is_uploaded, is_late = api.publications.is_uploaded(asked), api.clock() - time_of(asked.id) > PATIENCE
    if is_late and not is_uploaded:
        raise not_found("there is no such publication, or its report has expired")
    if is_late:
        return PublicationView(**about, status="failed", detail="the check did not end; publish again")
    status: Literal["checking", "waiting"] = "checking" if is_uploaded else "waiting"
    return PublicationView(**about, status=status)


def _admit(api: ApiServices, benchmark: str) -> tuple[Actor, int]:
    """Return who may publish a benchmark, and its publish number, and count a form.

    Raises Problem 401, 403, 409, 422, 429.
    """
    caller, published = identify(), _read_number(api, benchmark)
    actor = caller.check_publisher(benchmark, is_new=published == 0)
    _charge(api, actor)
    return actor, published


def _read_number(api: ApiServices, benchmark: str) -> int:
    """Return the publish number; 0 if nothing is published. Raises Problem 409, 422."""
    if not is_benchmark_id(benchmark):
        detail = f"benchmark: expected an id of 1 to 64 of a-z, 0-9 and -, found {benchmark[:64]!r}"
        raise unprocessable("invalid-id", detail, parameter="benchmark")
    published = api.benchmarks.find(benchmark, fresh=True)
    if published is None:
        return 0
    check_not_archived(published)
    return published.publish_number


def _charge(api: ApiServices, actor: Actor) -> None:
    limit = f"a player may publish {MAX_PER_DAY // 2} times a day"
    charge_owner(api.quotas, _QUOTA, actor, per_day=MAX_PER_DAY, limit=limit, clock=api.clock)


def _read_id(benchmark: str, publication: str, player: str) -> PublicationId:
    """Return the id of a publication of this player. Raises Problem 404."""
    if not is_benchmark_id(benchmark) or not is_submission_id(publication):
        raise not_found("there is no such publication")
    return PublicationId(benchmark, player, publication)
