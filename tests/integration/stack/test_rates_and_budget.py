"""What a deployment makes and reads back by AWS's API: the budget, and the rates of the API's stage."""

from typing import Any

import pytest
from boto3.session import Session
from botocore.stub import Stubber

from scripts.build_lambda import prepare_source
from scripts.deployment.budget import keep_budget
from scripts.deployment.smoke_test import OTHERS, SmokeTestFailed, check_stage
from scripts.tools import ROOT

NAMES = {"AccountId": "123456789012", "BudgetName": "laurel-prod"}
ADMIN = "admin@example.org"
NOTICES = [
    {"NotificationType": kind, "ComparisonOperator": "GREATER_THAN", "Threshold": threshold}
    for kind, threshold in (("ACTUAL", 80), ("FORECASTED", 100))
]
RATES = {"ApiRate": "30", "ApiBurst": "60", "ReadRate": "20"}
READ = {"ThrottlingRateLimit": 20.0, "ThrottlingBurstLimit": 20}
STAGE: dict[str, Any] = {
    "StageName": "$default",
    "DefaultRouteSettings": {"ThrottlingRateLimit": 30.0, "ThrottlingBurstLimit": 60},
    "RouteSettings": dict.fromkeys(OTHERS, READ),
}


@pytest.mark.parametrize(
    ("before", "after", "calls"),
    [
        (None, (20, ADMIN), ["create"]),
        ((20, ADMIN), (20, ADMIN), []),
        ((20, f"{ADMIN} added-by-hand@example.org"), (20, ADMIN), []),
        ((20, ADMIN), (50, ADMIN), ["delete", "create"]),
        ((20, ADMIN), (20, "ops@example.org"), ["delete", "create"]),
        ((20, ADMIN), (0, ADMIN), ["delete"]),
        ((20, ADMIN), (20, ""), ["delete"]),
        (None, (0, ""), []),
    ],
)
def test_budget_follows_its_parameters(
    before: tuple[int, str] | None, after: tuple[int, str], calls: list[str]
) -> None:
    """It is made once, replaced with limit and address, and goes with either; a second deployment changes nothing."""
    client = Session().client("budgets", region_name="us-east-1")
    (dollars, address), stubber = after, Stubber(client)
    if before is None:
        stubber.add_client_error("describe_budget", "NotFoundException", expected_params=NAMES)
    else:
        limit = {"Amount": f"{before[0]}.0", "Unit": "USD"}
        kept = {"BudgetName": "laurel-prod", "BudgetType": "COST", "TimeUnit": "MONTHLY", "BudgetLimit": limit}
        stubber.add_response("describe_budget", {"Budget": kept}, NAMES)
        stubber.add_response("describe_notifications_for_budget", {"Notifications": NOTICES}, NAMES)
        for notice in NOTICES:
            mailed = {"Subscribers": [{"SubscriptionType": "EMAIL", "Address": each} for each in before[1].split()]}
            stubber.add_response("describe_subscribers_for_notification", mailed, {**NAMES, "Notification": notice})
    if "delete" in calls:
        stubber.add_response("delete_budget", {}, NAMES)
    if "create" in calls:
        limit = {"Amount": str(dollars), "Unit": "USD"}
        made = {"BudgetName": "laurel-prod", "BudgetType": "COST", "TimeUnit": "MONTHLY", "BudgetLimit": limit}
        mailed = [
            {"Notification": notice, "Subscribers": [{"SubscriptionType": "EMAIL", "Address": address}]}
            for notice in NOTICES
        ]
        asked = {"AccountId": NAMES["AccountId"], "Budget": made, "NotificationsWithSubscribers": mailed}
        stubber.add_response("create_budget", {}, asked)
    with stubber:
        done = keep_budget(client, *NAMES.values(), dollars=dollars, address=address)

    stubber.assert_no_pending_responses()
    assert (done is None) == (not calls)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, None),
        ({"RouteSettings": {}}, "/api/{proxy+}: expected (20.0, 20.0)"),
        ({"RouteSettings": dict.fromkeys(OTHERS[:2], READ)}, "POST /api/{proxy+}"),
        ({"RouteSettings": {**STAGE["RouteSettings"], OTHERS[0]: {**READ, "ThrottlingBurstLimit": 5000}}}, "GET /api"),
        ({"RouteSettings": {**STAGE["RouteSettings"], "POST /api/submit": READ}}, "POST /api/submit: expected no"),
        ({"DefaultRouteSettings": {"ThrottlingRateLimit": 10000.0}}, "every other route: expected (30.0, 60.0)"),
    ],
)
def test_stage_has_the_rates_of_the_stack(changes: dict[str, Any], fault: str | None) -> None:
    """What API Gateway dropped, or kept from before, ends the deployment with the route and both numbers."""
    client = Session().client("apigatewayv2", region_name="eu-central-1")
    stubber = Stubber(client)
    stubber.add_response("get_stage", {**STAGE, **changes}, {"ApiId": "abc", "StageName": "$default"})
    with stubber:
        if fault is None:
            check_stage(client, "abc", RATES)
            return
        with pytest.raises(SmokeTestFailed) as raised:
            check_stage(client, "abc", RATES)

    assert fault in str(raised.value)


@pytest.mark.parametrize(("given", "rate"), [(None, 20), (100, 100)])
def test_built_template_has_numbers_and_no_rule_against_it(given: int | None, rate: int) -> None:
    """In free JSON CloudFormation would make text of a reference; what `make` built may be deployed."""
    source = prepare_source(given)
    settings = source["Resources"]["HttpApi"]["Properties"]["RouteSettings"]

    assert settings == {route: {"ThrottlingRateLimit": rate, "ThrottlingBurstLimit": rate} for route in OTHERS}
    assert {type(number) for limits in settings.values() for number in limits.values()} == {int}
    assert "Rules" not in source
    assert "\nRules:\n" in (ROOT / "template.yaml").read_text(encoding="utf-8"), "a plain `sam deploy` is stopped"
