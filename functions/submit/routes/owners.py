"""What its player, an owner of the benchmark and an administrator may do with a submission, and read of all of them."""

from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from scoring_core.outcome import Outcome
from submit import paths
from submit.dependencies import services
from submit.envelope import check_headers
from submit.requests import identify, lower_case, read_body
from submit.schemas.benchmarks import RescoreView
from submit.schemas.errors import ErrorList
from submit.schemas.submissions import ResultLink, WithdrawalView, view_withdrawal

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.WITHDRAWAL, tags=["submissions"])
def post_withdrawal(benchmark: str, submission: str) -> WithdrawalView:
    """Withdraw a submission: off the board for good, kept in the record.

    The first withdrawal stands; whoever withdraws again is told of it.
    """
    event, here = router.current_event, services()
    check_headers(lower_case(event.headers))
    published = here.catalogue.find(benchmark)
    standing = here.withdrawal.withdraw(published, submission, identify(event), read_body(event))
    logger.info("withdrawn", extra={"submission": submission, "benchmark": published.id, "role": standing.actor.role})
    return view_withdrawal(standing)


@router.get(paths.RESULT, tags=["submissions"], status_code=HTTPStatus.SEE_OTHER)
def get_result(benchmark: str, submission: str) -> Response[ResultLink]:
    """Give the raw result to its player, an owner or an administrator, from an address that holds for 15 minutes."""
    here = services()
    published = here.catalogue.find(benchmark)
    url = here.status.find_result(published, submission, identify(router.current_event))
    return Response(HTTPStatus.SEE_OTHER, "application/json", ResultLink(url=url), headers={"Location": url})


@router.post(paths.RESCORE, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_rescore(benchmark: str) -> Response[RescoreView]:
    """Have all results scored by the version that was published last, and the board moved to it, by an owner."""
    here = services()
    published = here.catalogue.find(benchmark, fresh=True)
    asked = here.rescore.ask(published, identify(router.current_event))
    logger.info("rescore asked for", extra={"benchmark": published.id, "next": asked.next})
    return Response(HTTPStatus.ACCEPTED, "application/json", asked)


@router.get(paths.ERRORS, tags=["benchmarks"])
def list_errors(
    benchmark: str,
    outcome: Annotated[
        Literal[Outcome.INVALID, Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR] | None,
        Query(description="Only these; without it all."),
    ] = None,
    cursor: Annotated[str | None, Query(description="`next` of the page before; without it the newest.")] = None,
) -> ErrorList:
    """List every submission without a score and why, newest first, for an owner or an administrator."""
    here = services()
    published = here.catalogue.find(benchmark)
    return here.failures.find(published, identify(router.current_event), outcome=outcome, cursor=cursor)
