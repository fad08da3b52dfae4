"""A video-retrieval client on the local stack: it knows only DRES v2, and Laurel's address, a name and a password."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.versions.publishing import publish_benchmark
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from storage.access.tokens import Scope
from storage.aws.table import Table
from storage.submissions.models import PlayerKind
from tests.e2e.test_from_post_to_board import row_of
from tests.harness.factories import make_player
from tests.harness.tokens import keep_account, keep_token

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@dataclass
class DresClient:
    """What DRES's specification lets a participant's client do (doc/oas-client.json, 2.0.2).

    Args:
        http: Speaks to the server.
        session: Of the login.
    """

    http: httpx.Client
    session: str = ""

    def login(self, username: str, password: str) -> None:
        """Log in, and remember the session."""
        user = self.http.post("/api/v2/login", json={"username": username, "password": password})
        self.session = user.raise_for_status().json()["sessionId"]

    def list_active(self) -> list[dict[str, Any]]:
        """Return the evaluations that are running."""
        listed = self.http.get("/api/v2/client/evaluation/list", params={"session": self.session}).raise_for_status()
        return [evaluation for evaluation in listed.json() if evaluation["status"] == "ACTIVE"]

    def log_results(self, evaluation: str) -> httpx.Response:
        """Send what was shown before a submission, as DRES's example clients do after each accepted one."""
        ranked = {"rank": 1, "answer": {"mediaItemName": "some_item_name", "start": 1000, "end": 1000}}
        log = {"timestamp": 1, "sortType": "list", "resultSetAvailability": "", "results": [ranked], "events": []}
        return self.http.post(f"/api/v2/log/result/{evaluation}", params={"session": self.session}, json=log)

    def submit(self, evaluation: str, task: str | None, answer: dict[str, Any]) -> httpx.Response:
        """Submit one answer, with every member that the specification knows."""
        members = dict.fromkeys(("text", "mediaItemName", "mediaItemCollectionName", "start", "end"))
        body = {"answerSets": [{"taskId": None, "taskName": task, "answers": [members | answer]}]}
        return self.http.post(f"/api/v2/submit/{evaluation}", params={"session": self.session}, json=body)

    def logout(self) -> None:
        """Log out."""
        self.http.get("/api/v2/logout", params={"session": self.session}).raise_for_status()


@pytest.fixture(scope="module")
def password(stack: Stack, aggregator: Aggregator) -> str:
    """A token of a player who is new here, for a shipped benchmark."""
    root = Path(__file__).resolve().parents[2]
    publish_benchmark(load_folder(root / "benchmarks" / "aic-2025"), aggregator)
    publish_benchmark(load_folder(root / "benchmarks" / "squad-v2"), aggregator)
    access = Table(stack.cloud.dynamodb, stack.template.resources["AccessTable"].name)
    heron = make_player("heron", "Heron", PlayerKind.MODEL)
    keep_account(access, heron, None)
    return keep_token(access, heron, Scope.SUBMIT)


@pytest.fixture
def dres(client: httpx.Client, password: str) -> DresClient:
    """A client that is logged in."""
    dres = DresClient(client)
    dres.login("heron", password)
    return dres


def test_dres_contest_is_scored_at_once(dres: DresClient, client: httpx.Client) -> None:
    """Log in, find what runs, answer right, wrong and not at all: each verdict comes at once, and the board follows."""
    evaluation, *questions = dres.list_active()
    tasks = [one["name"] for one in evaluation["taskTemplates"]]

    right = dres.submit(evaluation["id"], tasks[4], {"mediaItemName": "V007", "start": 64200, "end": 64200})
    wrong = dres.submit(evaluation["id"], tasks[4], {"mediaItemName": "V007", "start": 1, "end": 1})
    text = dres.submit(evaluation["id"], tasks[0], {"text": "TR-L03_V011-4945,5001"})
    logged = dres.log_results(evaluation["id"])
    unnamed = dres.submit(questions[4]["id"], None, {"mediaItemName": "V007", "start": 64200})
    elsewhere = dres.submit(evaluation["id"], tasks[4], {"mediaItemName": "V999", "start": 1, "end": 1})

    assert evaluation["id"] == "aic-2025"
    assert (right.status_code, right.json()["status"], right.json()["submission"]) == (200, True, "CORRECT")
    assert right.json()["description"] == "score 100 for 5"
    assert (wrong.status_code, wrong.json()["submission"]) == (200, "WRONG")
    assert (text.status_code, text.json()["submission"]) == (200, "CORRECT")
    assert (logged.status_code, logged.json()["status"]) == (200, True)
    assert (questions[4]["id"], unnamed.json()["description"]) == ("aic-2025.5", "score 100 for 5")
    assert (elsewhere.status_code, elsewhere.json()["status"]) == (412, False)
    assert "is not the video of question '5'" in elsewhere.json()["description"]
    row = row_of(client, "aic-2025", "Heron", submissions=4)
    assert (row["kind"], row["verified"]) == ("model", True)


def test_logged_out_client_must_log_in_again(dres: DresClient) -> None:
    """A client that logged out has to log in again."""
    dres.logout()

    answer = dres.submit("aic-2025", "5", {"mediaItemName": "V007", "start": 1})

    assert (answer.status_code, answer.json()["status"]) == (401, False)
