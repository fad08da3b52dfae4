"""The template keeps the rules of the deployed stack, and each rule can fail."""

from contextlib import suppress
from copy import replace
from typing import Final

import pytest

from local.template import Template, load_template
from scripts.deployment.concurrency import NEW_ACCOUNT, plan_concurrency
from tests.architecture.template_rules import RULES, Rule

PARAMETERS: Final = {"AdminAddress": "admin@example.org", **plan_concurrency(1000)}
"""Without an administrator there are no alarms, and a small account reserves no sandbox."""
FORBIDDING: Final = {
    *("access_keys", "alarm_topic", "api", "errors", "expiry", "ground_truth", "headers", "outer_alarms", "protocols"),
    *("queue_policies", "reports", "rights", "rows", "senders", "site_bucket", "stream_readers", "tls", "unchanged"),
}
"""Rules that say what nothing may have or reach; each has been red for a template that breaks it."""


@pytest.fixture(scope="module")
def production() -> Template:
    """The template as `sam deploy` translates it by default, with an administrator."""
    return load_template(PARAMETERS)


@pytest.fixture(scope="module", params=["prod", "dev"])
def deployed(request: pytest.FixtureRequest) -> Template:
    """The template in each stage, translated once for all rules."""
    return load_template({"Stage": request.param, **PARAMETERS})


@pytest.mark.parametrize("rule", RULES)
def test_template_keeps_every_rule_in_every_stage(deployed: Template, rule: str) -> None:
    """No rule has a violation in prod or dev."""
    assert RULES[rule](deployed) == []


@pytest.mark.parametrize("executions", [10, 50, 100, 119, 120, 3000])
def test_template_keeps_every_rule_in_every_account(executions: int) -> None:
    """No rule has a violation with the concurrency that is chosen for a small or a large account."""
    template = load_template({**PARAMETERS, **plan_concurrency(executions)})

    assert [violation for rule in RULES.values() for violation in rule(template)] == []


def test_defaults_are_what_is_chosen_for_a_new_account(production: Template) -> None:
    """A stack that is deployed without the script works in an account of ten executions."""
    parameters = production.document["Parameters"]
    chosen = plan_concurrency(NEW_ACCOUNT)

    assert {name: str(parameters[name]["Default"]) for name in chosen} == chosen
    assert {name for name in parameters if name.endswith(("Concurrency", "Rate", "Burst"))} == chosen.keys()


def test_template_without_an_administrator_has_no_alarms() -> None:
    """Alarms that are mailed to nobody would only cost."""
    template = load_template({"Stage": "dev"})

    assert template.resources_of("AWS::CloudWatch::Alarm") == {}
    assert "Subscription" not in template.resources["AlarmTopic"].properties


def test_every_rule_notices_a_loss_or_forbids(production: Template) -> None:
    """Each rule fails without some property of a resource, but for those that say what nothing may have."""
    assert {name for name, rule in RULES.items() if not notices_loss(rule, production)} == FORBIDDING


def notices_loss(rule: Rule, template: Template) -> bool:
    """Return whether a rule has a violation where a resource lacks one of its properties."""
    for name, resource in template.resources.items():
        for lost in resource.properties:
            rest = {key: value for key, value in resource.properties.items() if key != lost}
            lacking = replace(template, resources={**template.resources, name: resource._replace(properties=rest)})
            with suppress(Exception):  # a rule may stop at what is not there, which says nothing of what it would find
                if rule(lacking):
                    return True
    return False
