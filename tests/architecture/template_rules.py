"""The rules of the deployed stack: each takes a resolved template and returns its violations."""

from collections.abc import Callable
from importlib import import_module
from typing import Final

from local.template import Template

type Rule = Callable[[Template], list[str]]

_MODULES: Final = tuple(
    import_module(f"tests.architecture.rules_{name}")
    for name in ("flow", "access", "uploads", "resources", "sandbox", "site", "mail", "alarms")
)
RULES: Final[dict[str, Rule]] = {
    name.removeprefix("check_"): rule
    for module in _MODULES
    for name, rule in vars(module).items()
    if name.startswith("check_")
}
"""Every function `check_…` of these modules, by what follows `check_`."""
