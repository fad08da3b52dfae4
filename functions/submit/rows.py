"""Takes over rows of an earlier board, whose scores its owner gives: they have a date, and no quota or token."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

from pydantic import Field

from handlers.http.auth import identify
from handlers.http.benchmarks import find_benchmark
from handlers.http.bodies import Body, read_model
from handlers.http.problems import Answer, forbidden, unprocessable, write_compact
from handlers.http.requests import read_headers, read_json
from handlers.http.submitters import (
    Submitter,
    SubmitterRequest,
    check_ban,
    find_named,
    own_rows,
    read_guest,
    show_player,
)
from scoring_core.judgement import take_over
from scoring_core.outcome import LINK_LENGTH, NOTE_LENGTH, Outcome
from scoring_core.urls import submission_url
from storage.keys import derive_row_id
from storage.submissions.models import PlayerKind, Submission
from submit.dependencies import SubmitServices


class RowRequest(Body):
    """A row of an earlier board."""

    scores: dict[str, int | float] = Field(description="Metric → value, of all parts together.")
    link: Annotated[str, Field(max_length=LINK_LENGTH, pattern="^https?://[!-~]+$")] | None = None
    note: Annotated[str, Field(max_length=NOTE_LENGTH)] | None = None


def post_row(
    submit: SubmitServices, benchmark: str, event: Mapping[str, Any], query: Mapping[str, str], kind: PlayerKind | None
) -> Answer:
    """Store a row as a submission of its date; a repeat stores nothing.

    Raises Problem, StoreError.
    """
    if query.keys() - {"player", "kind", "taken_over"} or "player" not in query:
        raise unprocessable("not-a-row", "taken_over: expected it beside `player` and maybe `kind`", parameter="player")
    headers, published = read_headers(event), find_benchmark(submit.benchmarks, benchmark)
    caller = identify(submit, headers)
    caller.check_owner(published.id)
    if published.archived is not None:
        raise forbidden("archived", published.archived.describe())
    row = read_model(read_json(event), RowRequest).model_dump(exclude_none=True)
    judged = take_over(row, published.definition.score_type, is_final=False)
    if judged.outcome is not Outcome.SCORED:
        raise unprocessable("not-a-row", judged.message, pointer="/scores")
    moment = datetime.max.replace(tzinfo=UTC)
    with suppress(ValueError):
        moment = datetime.fromisoformat(f"{query['taken_over']}T00:00:00+00:00")
    if not datetime.fromtimestamp(0, UTC) <= moment <= submit.clock():
        raise unprocessable("invalid-date", "taken_over: expected a day as 2024-05-31", parameter="taken_over")
    kind, owner = kind or PlayerKind.MODEL, own_rows(published.id)
    player = find_named(submit, query["player"], kind, owner=owner)
    check_ban(player, published.bans)
    if submit.players.find(player.id) is None:  # else its player has claimed it
        request = SubmitterRequest(caller=caller, headers=headers, player=query["player"], kind=kind)
        owners = read_guest(submit, request, owner=owner)[1]
        if owners.is_erased:
            raise forbidden("erased", "player: the player of this row was erased; leave the row out")
        player = show_player(submit, Submitter(player, owners=owners))
    content = json.dumps(row, sort_keys=True)
    name = derive_row_id(moment, player=player.id, row=content)
    stored = Submission(id=name, benchmark=published.id, player=player)
    is_new = submit.records.put_result(stored, content.encode())
    answer = {"submission": name, "status": "queued", "status_url": submission_url(published.id, name)}
    return Answer(HTTPStatus.ACCEPTED, write_compact({**answer, "player": player.id, "repeated": not is_new}), {})
