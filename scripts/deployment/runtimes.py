"""Adds to the template what each runtime needs: a sandbox function, a layer of its packages, an alarm."""  # noqa: INP001 — scripts are no package

import copy
import json
from collections.abc import Mapping
from typing import Any, Final

from sandbox.runtimes import SHIPPED, has_packages, hash_locks, list_locks

FUNCTION: Final = "SandboxFunction"
"""The sandbox of the default runtime, of which those of the others are copies."""
_RESERVED: Final = "ReservedConcurrentExecutions"


def add_runtimes(source: dict[str, Any]) -> None:
    """Add the runtimes of `sandbox/locks` to a template; what was built has them.

    Of the template, short forms of functions are written as long ones.
    """
    resources = source["Resources"]
    readers = [variables for variables in map(_read_variables, resources.values()) if "SANDBOX_FUNCTION" in variables]
    if not readers or "RUNTIMES" in readers[0]:
        return
    source.pop("Rules", None)  # by which CloudFormation refuses a template without the runtimes
    locks = json.dumps(hash_locks(SHIPPED))
    for variables in readers:
        variables["RUNTIMES"] = locks
    for name, lock in list_locks(SHIPPED).items():
        function = name_function(name)
        layer, alarm = function.replace("Function", "Layer"), function.replace("Function", "Errors")
        resources[function] = sandbox = copy.deepcopy(resources[FUNCTION])
        properties = sandbox["Properties"]
        properties["FunctionName"]["Fn::Sub"] += f"-{name}"
        properties["Description"] += f"; runtime {name}"
        # A reservation for each would take as many executions from the account; together they run no more scripts.
        del properties[_RESERVED]
        properties["Layers"] = [{"Ref": layer}] if has_packages(lock) else []
        if has_packages(lock):
            resources[layer] = copy.deepcopy(resources["PandasLayer"])
            resources[layer]["Properties"] |= {
                "Description": f"Runtime {name}, for scripts",
                "ContentUri": "layers/runtimes",
            }
        resources[alarm] = copy.deepcopy(resources["SandboxErrors"])
        resources[alarm]["Properties"]["Dimensions"][0]["Value"] = {"Ref": function}


def name_function(runtime: str) -> str:
    """Return the logical id of a runtime's function.

    >>> name_function("learning")
    'SandboxLearningFunction'
    """
    return f"Sandbox{runtime.capitalize()}Function"


def _read_variables(resource: Mapping[str, Any]) -> dict[str, str]:
    variables: dict[str, str] = resource.get("Properties", {}).get("Environment", {}).get("Variables", {})
    return variables
