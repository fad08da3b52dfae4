"""Labels of submissions: fixed at receipt, checked as names are, at most a hundred a player and benchmark."""

import pytest

from storage.players.tokens import Scope
from storage.submissions.labels import MAX_LABELS, LabelStore
from tests.harness.factories import make_player
from tests.harness.stack import Api, StackHarness, make_benchmark

pytestmark = pytest.mark.usefixtures("published")
ADA = make_player("ada", "Ada")
BY_LABEL = {"by": ["score"], "rows": "label"}


@pytest.fixture
def published(stack: StackHarness) -> None:
    """A benchmark with a row for each label, and one without."""
    stack.publish(make_benchmark(ranking=BY_LABEL))
    stack.publish(make_benchmark(id="plain"))


@pytest.fixture
def token(stack: StackHarness) -> dict[str, str]:
    """The token of a player."""
    return stack.issue_token(ADA, Scope.SUBMIT)


def read_labels(stack: StackHarness) -> list[str | None]:
    """Return the labels in the metadata of the raw results."""
    heads = [stack.cloud.s3.head_object(Bucket=stack.results_bucket, Key=key) for key in stack.results()]
    return sorted(head["Metadata"].get("label") for head in heads)


def use_all_labels(stack: StackHarness) -> None:
    """Use up the labels of the player."""
    LabelStore(stack.access).admit("tiny", "ada", [f"old {number}" for number in range(MAX_LABELS)])


def test_label_is_stored_with_the_result(api: Api, stack: StackHarness, token: dict[str, str]) -> None:
    """It is checked as a name is, stored as it is shown, and the status repeats it."""
    accepted = api.post(query={"label": " Schritt  1200 ✓ "}, headers=token).body

    assert read_labels(stack) == ["Schritt%201200%20%E2%9C%93"]
    assert api.get(accepted["status_url"]).body["label"] == "Schritt 1200 ✓"


@pytest.mark.parametrize(
    ("label", "benchmark", "detail"),
    [
        ("x" * 65, "tiny", "label: expected at most 64 characters, found 65"),
        ("a\u200bb", "tiny", "label: this name contains an invisible character"),
        ("laurel_" + "x" * 43, "tiny", "label: expected a name, found a token or a receipt"),
        ("step 1", "plain", "label: expected none: no board of this benchmark has a row for each label"),
    ],
)
def test_label_that_cannot_be_shown_is_rejected(  # noqa: PLR0917  # a table's columns are its arguments
    api: Api, stack: StackHarness, token: dict[str, str], label: str, benchmark: str, detail: str
) -> None:
    """A 422 names the parameter, and nothing is stored: a fact would be lost without a word where nothing shows it."""
    answer = api.post(query={"label": label}, headers=token, benchmark=benchmark)

    assert (answer.status, answer.body["type"]) == (422, "urn:laurel:problem:invalid-label")
    assert answer.body["detail"].startswith(detail)
    assert answer.body["errors"][0]["parameter"] == "label"
    assert stack.results() == []


@pytest.mark.parametrize(("query", "status"), [({}, 422), ({"player": "Grace"}, 202)])
def test_label_needs_a_player_who_has_rows(api: Api, query: dict[str, str], status: int) -> None:
    """A guest with a name may use labels; one without a name has no row."""
    assert api.post(query={"label": "step 1", **query}).status == status


def test_one_label_too_many_is_rejected(api: Api, stack: StackHarness, token: dict[str, str]) -> None:
    """A 409 says the limit; the quota is not charged, and a label that was used may be used again."""
    use_all_labels(stack)

    answer = api.post(query={"label": "new"}, headers=token)
    again = api.post(query={"label": "old 7"}, headers=token)

    assert (answer.status, answer.body["type"]) == (409, "urn:laurel:problem:too-many-labels")
    assert answer.body["detail"].startswith("label: a player may use 100 on a benchmark")
    assert again.status == 202
    (quota,) = [item for item in stack.items("AccessTable") if item["key"]["S"].startswith("quota#")]
    assert quota["count"]["N"] == "1"


def test_rejected_label_frees_its_key(api: Api, stack: StackHarness, token: dict[str, str]) -> None:
    """The same Idempotency-Key serves a request with a label that may be used."""
    use_all_labels(stack)
    headers = {**token, "Idempotency-Key": "once"}

    assert api.post(query={"label": "new"}, headers=headers).status == 409
    assert api.post(query={"label": "old 7"}, headers=headers).status == 202


def test_another_label_is_another_request(api: Api, token: dict[str, str]) -> None:
    """A repeat of an Idempotency-Key with another label is rejected."""
    headers = {**token, "Idempotency-Key": "once"}

    assert api.post(query={"label": "a"}, headers=headers).status == 202
    assert api.post(query={"label": "a"}, headers=headers).status == 202
    assert api.post(query={"label": "b"}, headers=headers).status == 422
    assert api.post(headers=headers).status == 422
