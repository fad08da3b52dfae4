"""Adds to the template what every function has: its build, a log group and a name in it, an alarm on errors."""  # noqa: INP001 — scripts are no package

import copy
import re
from typing import Any, Final

RETENTION_DAYS: Final = 30
PATTERN: Final = "SubmitErrors"
"""The alarm of which those of the other functions are copies."""


def complete_functions(resources: dict[str, Any]) -> None:
    """Add what template.yaml leaves out of its functions; what was built has it.

    An alarm that is written out stays as it is.
    """
    functions = {name: each for name, each in resources.items() if each["Type"] == "AWS::Serverless::Function"}
    for name, function in functions.items():
        properties, part = function["Properties"], name.removesuffix("Function")
        if "LoggingConfig" in properties:
            continue
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", part).lower()
        function["Metadata"] = {"BuildMethod": "makefile", **function.get("Metadata", {})}
        if "Environment" in properties:
            properties["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] = words
        group = f"{part}Logs"
        log_name = f"/aws/lambda/${{AWS::StackName}}-{words.replace('_', '-')}"
        resources[group] = {
            "Type": "AWS::Logs::LogGroup",
            "Properties": {"LogGroupName": {"Fn::Sub": log_name}, "RetentionInDays": RETENTION_DAYS},
        }
        properties["LoggingConfig"] = {"LogGroup": {"Ref": group}}
        resources[f"{part}Role"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"].insert(
            0,
            {
                "Effect": "Allow",
                "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
                "Resource": {"Fn::GetAtt": [group, "Arn"]},
            },
        )
        alarm = copy.deepcopy(resources[PATTERN])
        alarm["Properties"] |= {
            "AlarmDescription": f"{words} failed: docs/operations.md",
            "Dimensions": [{"Name": "FunctionName", "Value": {"Ref": name}}],
        }
        resources.setdefault(f"{part}Errors", alarm)
