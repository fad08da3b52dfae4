"""The roles' policies as an analyser of IAM reads them: no action, resource or condition is misspelt or unfit."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from local.template import load_template

MAX_CHARACTERS: Final = 9_000
STREAMS: Final = (
    "AWS documents ListStreams with every stream, SAM's own template with one; without it the mapping works"
)
EXPLAINED: Final = {
    ("AggregateRole", "RESOURCE_MISMATCH", "dynamodb:ListStreams"): STREAMS,
    ("NotifyRole", "RESOURCE_MISMATCH", "dynamodb:ListStreams"): STREAMS,
    ("SendRole", "RESOURCE_MISMATCH", "dynamodb:ListStreams"): STREAMS,
    ("SandboxRole", "RESOURCE_STAR", "ec2:AssignPrivateIpAddresses"): (
        "a function in a VPC needs these on everything; they are denied to its code"
    ),
    ("SandboxRole", "UNKNOWN_CONDITION_FOR_ACTION", "logs:CreateLogStream"): (
        "the Deny is for all other actions, and Lambda sets lambda:SourceFunctionArn in every request of the code"
    ),
    ("SandboxRole", "UNKNOWN_CONDITION_FOR_ACTION", "logs:PutLogEvents"): "as above",
}
"""Role, rule and first action of a finding → why it is right as it is."""


def analyze(folder: Path) -> set[tuple[str, str, str]]:
    """Return the findings in a folder of policies, each named for its role.

    The analyser warns as it is imported, so it has a process of its own.
    """
    command = [sys.executable, "-W", "ignore", "-m", "parliament.cli", "--directory", str(folder), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    findings = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert findings, done.stderr
    return {
        (Path(found["location"]["filepath"]).stem, found["issue"], name_action(found["detail"])) for found in findings
    }


def name_action(detail: Any) -> str:
    """Return the first action that a finding is about."""
    first = detail[0] if isinstance(detail, list) else detail
    return first["action"] if isinstance(first, dict) else str(first).rpartition(" ")[2]


def test_analyser_finds_nothing_unexplained(tmp_path: Path) -> None:
    """Each role has only the findings that are listed with a reason, and each reason is still needed."""
    template = load_template({"AdminAddress": "admin@example.org"})
    for role, properties in template.resources_of("AWS::IAM::Role").items():
        (policy,) = properties["Policies"]
        tmp_path.joinpath(f"{role}.json").write_text(json.dumps(policy["PolicyDocument"]))

    assert analyze(tmp_path) == EXPLAINED.keys()


def test_analyser_finds_a_mistake(tmp_path: Path) -> None:
    """It knows the actions of the services, and their resources and conditions."""
    queue = "arn:aws:sqs:us-east-1:123456789012:queue"
    changes: dict[str, dict[str, Any]] = {
        "UNKNOWN_ACTION": {"Action": "sqs:SendMesage"},
        "RESOURCE_MISMATCH": {"Resource": "arn:aws:s3:::bucket/key"},
        "UNKNOWN_CONDITION_FOR_ACTION": {"Condition": {"StringEquals": {"s3:prefix": "a"}}},
    }
    for issue, change in changes.items():
        statement = {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": queue} | change
        tmp_path.joinpath(f"{issue}.json").write_text(json.dumps({"Version": "2012-10-17", "Statement": [statement]}))

    assert {(issue, issue) for issue in changes} <= {found[:2] for found in analyze(tmp_path)}


def test_policies_leave_room() -> None:
    """IAM takes 10,240 characters of a role's inline policies, without white space."""
    template = load_template({"AdminAddress": "admin@example.org"})
    sizes = {
        role: sum(len(json.dumps(each["PolicyDocument"], separators=(",", ":"))) for each in properties["Policies"])
        for role, properties in template.resources_of("AWS::IAM::Role").items()
    }

    assert {role: size for role, size in sizes.items() if size > MAX_CHARACTERS} == {}
