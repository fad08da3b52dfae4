"""How a template is broken to see a rule fail."""

import copy
from typing import Any, Final

from local.template import Template, resolve
from tests.architecture.template_rules import Rule

REMOVED: Final = object()
PARAMETERS: Final = {"AdminAddress": "admin@example.org"}
"""Without an administrator there are no alarms."""
STATEMENTS: Final = ("Properties", "Policies", 0, "PolicyDocument", "Statement")
"""The way to a role's statements."""

# rule, path below Resources, what is put there, and what the violation must say
type Breakage = tuple[Rule, tuple[str | int, ...], Any, str]


def break_template(template: Template, path: tuple[str | int, ...], value: object) -> Template:
    """Give the template with one value below Resources replaced or, if it is REMOVED, taken away."""
    document = copy.deepcopy(dict(template.document))
    inner = document["Resources"]
    for key in path[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return resolve(document, PARAMETERS)
