"""The route of downloads."""

from http import HTTPStatus

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from submit import paths
from submit.dependencies import services
from submit.downloads.schemas import Download
from submit.requests import check_headers, read_body, read_headers
from submit.services.benchmarks import find_benchmark

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.DOWNLOADS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_download(benchmark: str) -> Response[Download]:
    """Write submissions into a file, for owners: scores as CSV, raw results as ZIP.

    A file has the first 5,000 submissions, or 500 with their results; `next` says where the following one begins.
    """
    event = router.current_event.raw_event
    headers = read_headers(event)
    check_headers(headers)
    published = find_benchmark(services().benchmarks, benchmark)
    download = services().downloads.write(published, services().authenticator.identify(headers), read_body(event))
    logger.info("submissions downloaded", extra={"benchmark": published.id, "submissions": download.submissions})
    return Response(HTTPStatus.CREATED, "application/json", download, headers={"Location": download.url})
