"""Mutations of the template: each must make a rule fail."""

import copy
from typing import Any, Final

from local.template import Template, resolve
from scripts.deployment.concurrency import plan_concurrency
from tests.architecture.template_rules import Rule

REMOVED: Final = object()
PARAMETERS: Final = {"AdminAddress": "admin@example.org", **plan_concurrency(1000)}
"""Without an administrator there are no alarms, and a small account reserves no sandbox."""
STATEMENTS: Final = ("Properties", "Policies", 0, "PolicyDocument", "Statement")
"""The path to the statements of a role."""

# rule, path below Resources, the value that is put there, and a part of the expected violation
type Mutation = tuple[Rule, tuple[str | int, ...], Any, str]


def mutate_template(template: Template, path: tuple[str | int, ...], value: object) -> Template:
    """Return the template with a value below Resources replaced, or deleted."""
    document = copy.deepcopy(dict(template.document))
    inner = document["Resources"]
    for key in path[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return resolve(document, PARAMETERS)
