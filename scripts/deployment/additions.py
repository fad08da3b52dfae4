"""Adds to the template what functions, queues and runtimes have in the same way; what was built has it already."""  # noqa: INP001 — scripts are no package

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sandbox.runtimes import SHIPPED, has_packages, hash_locks, list_locks

RETENTION_DAYS: Final = 30
PATTERN: Final = "SubmitErrors"
"""The alarm of which those of the other functions are copies."""
SANDBOX: Final = "SandboxFunction"
"""The sandbox of the default runtime, of which those of the others are copies."""
_RESERVED: Final = "ReservedConcurrentExecutions"
DEAD_LETTERS: Final = "EvaluateDeadLetters"
"""That of the other queues of dead letters."""
TRUST: Final = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
PLAIN_TEXT: Final = {
    "Effect": "Deny",
    "Principal": "*",
    "Action": "sqs:*",
    "Resource": "*",
    "Condition": {"Bool": {"aws:SecureTransport": False}},
}


def complete_functions(resources: dict[str, Any]) -> None:
    """Add role, build, name and group of logs, and an alarm on errors.

    An alarm that is written out stays as it is.
    """
    for name, function in list(_list_resources(resources, "AWS::Serverless::Function")):
        properties, part = function["Properties"], name.removesuffix("Function")
        if "LoggingConfig" in properties:
            continue
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", part).lower()
        function["Metadata"] = {"BuildMethod": "makefile", **function.get("Metadata", {})}
        if "Environment" in properties:
            properties["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] = words
        group, role = f"{part}Logs", f"{part}Role"
        log_name = f"/aws/lambda/${{AWS::StackName}}-{words.replace('_', '-')}"
        resources[group] = {
            "Type": "AWS::Logs::LogGroup",
            "Properties": {"LogGroupName": {"Fn::Sub": log_name}, "RetentionInDays": RETENTION_DAYS},
        }
        writes = {
            "Effect": "Allow",
            "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
            "Resource": {"Fn::GetAtt": [group, "Arn"]},
        }
        allowed = map(_complete_right, properties.pop("Policies")["Statement"])
        rights = {"Version": "2012-10-17", "Statement": [writes, *allowed]}
        policies = [{"PolicyName": words.replace("_", "-"), "PolicyDocument": rights}]
        resources[role] = {
            "Type": "AWS::IAM::Role",
            "Properties": {"AssumeRolePolicyDocument": TRUST, "Policies": policies},
        }
        properties |= {"LoggingConfig": {"LogGroup": {"Ref": group}}, "Role": {"Fn::GetAtt": [role, "Arn"]}}
        alarm = copy.deepcopy(resources[PATTERN])
        alarm["Properties"] |= {
            "AlarmDescription": f"{words} failed: docs/operations.md",
            "Dimensions": [{"Name": "FunctionName", "Value": {"Ref": name}}],
        }
        resources.setdefault(f"{part}Errors", alarm)


def complete_queues(resources: dict[str, Any]) -> None:
    """Have each queue refuse plain text, and dead letters raise an alarm."""
    for name, _ in list(_list_resources(resources, "AWS::SQS::Queue")):
        policy = {
            "Type": "AWS::SQS::QueuePolicy",
            "Properties": {"Queues": [{"Ref": name}], "PolicyDocument": {"Version": "2012-10-17", "Statement": []}},
        }
        document = resources.setdefault(f"{name}Policy", policy)["Properties"]["PolicyDocument"]
        document["Statement"] = [*(each for each in document["Statement"] if each != PLAIN_TEXT), PLAIN_TEXT]
        if name.endswith("DeadLetterQueue"):
            alarm = copy.deepcopy(resources[DEAD_LETTERS])
            alarm["Properties"]["Dimensions"] = [{"Name": "QueueName", "Value": {"Fn::GetAtt": [name, "QueueName"]}}]
            resources.setdefault(name.replace("Queue", "s"), alarm)


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
        function, layer, alarm = (f"Sandbox{name.capitalize()}{kind}" for kind in ("Function", "Layer", "Errors"))
        resources[function] = sandbox = copy.deepcopy(resources[SANDBOX])
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


def _complete_right(right: dict[str, Any]) -> dict[str, Any]:
    """Return a right with its effect, and with what its keys or prefixes stand for.

    Leading keys are of AccessTable unless it names another; prefixes are of what is listed in ResultsBucket.
    """
    complete = {"Effect": "Allow", **right}
    if keys := complete.pop("LeadingKeys", None):
        complete.setdefault("Resource", {"Fn::GetAtt": ["AccessTable", "Arn"]})
        complete["Condition"] = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}}
    if prefixes := complete.pop("ListPrefixes", None):
        complete |= {"Action": "s3:ListBucket", "Resource": {"Fn::GetAtt": ["ResultsBucket", "Arn"]}}
        complete["Condition"] = {"StringLike": {"s3:prefix": prefixes}}
    return complete


def _list_resources(resources: dict[str, Any], kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((name, resource) for name, resource in resources.items() if resource["Type"] == kind)


def _read_variables(resource: Mapping[str, Any]) -> dict[str, str]:
    variables: dict[str, str] = resource.get("Properties", {}).get("Environment", {}).get("Variables", {})
    return variables
