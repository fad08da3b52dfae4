"""The rules of the deployed stack: each takes a resolved template and returns its violations."""

from collections.abc import Callable
from typing import Final

from local.template import Template
from tests.architecture import (
    rules_access,
    rules_alarms,
    rules_flow,
    rules_mail,
    rules_recursion,
    rules_resources,
    rules_sandbox,
    rules_site,
    rules_uploads,
)

type Rule = Callable[[Template], list[str]]

_MODULES: Final = (
    rules_flow,
    rules_recursion,
    rules_access,
    rules_uploads,
    rules_resources,
    rules_sandbox,
    rules_site,
    rules_mail,
    rules_alarms,
)
RULES: Final[dict[str, Rule]] = {
    name.removeprefix("check_"): rule
    for module in _MODULES
    for name, rule in vars(module).items()
    if name.startswith("check_")
}
"""Every function `check_…` of these modules, by what follows `check_`."""
