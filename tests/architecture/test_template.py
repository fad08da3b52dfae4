"""The template keeps the rules of the deployed stack, and a mutation makes each rule fail."""

from pathlib import Path
from typing import Final

import pytest

from local.template import Template
from scripts.deployment.concurrency import NEW_ACCOUNT, plan_concurrency
from scripts.translation import translate
from tests.architecture.template_mutations import MUTATIONS, PARAMETERS, mutate_template
from tests.architecture.template_rules import RULES

TEMPLATE_PATH: Final = Path(__file__).parents[2] / "template.yaml"


@pytest.fixture(scope="module")
def production() -> Template:
    """The template as `sam deploy` translates it by default, with an administrator."""
    return translate(TEMPLATE_PATH, PARAMETERS)


@pytest.fixture(scope="module", params=["prod", "dev"])
def deployed(request: pytest.FixtureRequest) -> Template:
    """The template in each stage, translated once for all rules."""
    return translate(TEMPLATE_PATH, {"Stage": request.param, **PARAMETERS})


@pytest.mark.parametrize("rule", RULES)
def test_template_keeps_every_rule_in_every_stage(deployed: Template, rule: str) -> None:
    """No rule has a violation in prod or dev."""
    assert RULES[rule](deployed) == []


@pytest.mark.parametrize("executions", [10, 50, 100, 119, 120, 3000])
def test_template_keeps_every_rule_in_every_account(executions: int) -> None:
    """No rule has a violation with the concurrency that is chosen for a small or a large account."""
    template = translate(TEMPLATE_PATH, {**PARAMETERS, **plan_concurrency(executions)})

    assert [violation for rule in RULES.values() for violation in rule(template)] == []


def test_defaults_are_what_is_chosen_for_a_new_account(production: Template) -> None:
    """A stack that is deployed without the script works in an account of ten executions."""
    parameters = production.document["Parameters"]
    chosen = plan_concurrency(NEW_ACCOUNT)

    assert {name: str(parameters[name]["Default"]) for name in chosen} == chosen
    assert {name for name in parameters if name.endswith(("Concurrency", "Rate", "Burst"))} == chosen.keys()


@pytest.mark.parametrize(
    ("rule", "path", "value", "expected"),
    MUTATIONS,
    ids=[f"{rule}-{'.'.join(map(str, (path[0], path[-1])))}" for rule, path, _, _ in MUTATIONS],
)
def test_rule_names_what_a_mutation_breaks(
    production: Template, rule: str, path: tuple[str | int, ...], value: object, expected: str
) -> None:
    """A mutated template violates the rule of what was changed, and the rule names it."""
    mutated = mutate_template(production, path, value)

    violations = RULES[rule](mutated)

    assert [violation for violation in violations if expected in violation], violations


def test_template_without_an_administrator_has_no_alarms() -> None:
    """Alarms that are mailed to nobody would only cost."""
    template = translate(TEMPLATE_PATH, {"Stage": "dev"})

    assert template.resources_of("AWS::CloudWatch::Alarm") == {}
    assert "Subscription" not in template.resources["AlarmTopic"].properties


def test_every_rule_has_a_mutation() -> None:
    """Each rule is shown to fail at least once."""
    assert {rule for rule, *_ in MUTATIONS} == RULES.keys()
