"""The rules of the deployed stack: each takes a resolved template and returns its violations."""

from collections.abc import Callable
from typing import Final

from local.template import Template
from tests import architecture

type Rule = Callable[[Template], list[str]]

_MODULES: Final = (
    architecture.rules_flow,
    architecture.rules_recursion,
    architecture.rules_access,
    architecture.rules_uploads,
    architecture.rules_resources,
    architecture.rules_sandbox,
    architecture.rules_site,
    architecture.rules_mail,
    architecture.rules_alarms,
)
RULES: Final[dict[str, Rule]] = {
    name.removeprefix("check_"): rule
    for module in _MODULES
    for name, rule in vars(module).items()
    if name.startswith("check_")
}
"""Every function `check_…` of these modules, by what follows `check_`."""
