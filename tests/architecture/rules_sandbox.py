"""Rules of the sandbox: a microVM for each tenant, no rights, no way out, and one caller."""

from fnmatch import fnmatchcase
from typing import Final

from local.template import Properties, Template
from scoring_core.scorers.script import MOST
from scoring_core.scorers.script.run import ScriptParameters
from storage.gateway import aws
from storage.sandbox.client import BACKOFF_SECONDS, MAX_DEATHS
from tests.architecture.expectations import list_statements, list_violations, listed
from tests.architecture.rules_flow import MAX_VERSIONS

SANDBOX: Final = "SandboxFunction"
"""The sandbox of the default runtime; that of another has its name inside: `SandboxLearningFunction`."""
LAYERS: Final = {SANDBOX: {"NumericsLayer", "PandasLayer"}, "SandboxPlainFunction": set[str]()}
"""What is in the view of a sandbox; that of another runtime has a layer of its own."""
LOG_ACTIONS: Final = frozenset({"logs:CreateLogStream", "logs:PutLogEvents"})
INTERFACE_ACTIONS: Final = frozenset(
    {
        "ec2:AssignPrivateIpAddresses",
        "ec2:CreateNetworkInterface",
        "ec2:DeleteNetworkInterface",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeSubnets",
        "ec2:UnassignPrivateIpAddresses",
    }
)
NETWORK: Final = {
    "AWS::EC2::VPC",
    "AWS::EC2::Subnet",
    "AWS::EC2::RouteTable",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::SecurityGroup",
}
"""The types of the network; every other one of these services (route, gateway, endpoint) leads out."""

RUNNER_MIB: Final = 256
"""The runner, and numpy, scipy and pandas imported: 130 MiB were measured."""

_NETWORK_SERVICES: Final = ("AWS::EC2::", "AWS::Route53Resolver::", "AWS::VpcLattice::")
_NOWHERE: Final = ("-1", "127.0.0.1/32")
_SAM_HASH_LENGTH: Final = 10


def check_tenants(template: Template) -> list[str]:
    """Tenants share no microVM, which contains only the runner and its packages."""
    violations = []
    for sandbox, properties in _sandboxes(template).items():
        layers = {template.logical_id_of(layer)[:-_SAM_HASH_LENGTH] for layer in properties["Layers"]}
        expected = LAYERS.get(sandbox, {sandbox.replace("Function", "Layer")})
        expectations = {
            "tenants are isolated": properties.get("TenancyConfig") == {"TenantIsolationMode": "PER_TENANT"},
            "its code is functions/sandbox alone": properties["Code"]["S3Key"] == "functions/sandbox",
            f"its layers are {sorted(expected)}": layers == expected,
        }
        violations += list_violations(sandbox, expectations)
    return violations


def check_attempts(template: Template) -> list[str]:
    """The sandbox is not retried, and nothing but a call by its name leads to it."""
    configs = template.resources_of("AWS::Lambda::EventInvokeConfig").values()
    attempts = {
        template.logical_id_of(config["FunctionName"]): config.get("MaximumRetryAttempts") for config in configs
    }
    sandboxes, violations = _sandboxes(template), []
    for sandbox in sandboxes:
        violations += list_violations(sandbox, {"MaximumRetryAttempts is 0": attempts.get(sandbox) == 0})
    for name, resource in template.resources.items():
        target = resource.properties.get("FunctionName", resource.properties.get("TargetFunctionArn"))
        if resource.type in {"AWS::Lambda::Function", "AWS::Lambda::EventInvokeConfig"} or target is None:
            continue
        if resource.type.startswith("AWS::Lambda::") and (sandbox := template.logical_id_of(target)) in sandboxes:
            violations.append(f"{sandbox}: {name} is another way to it")
    return violations


def check_callers(template: Template) -> list[str]:
    """Scripts and examples may invoke the sandboxes, the API three other functions, and none anything else."""
    sandbox = template.resources[SANDBOX].arn or ""
    named = {name: template.resources[name].arn or "" for name in _sandboxes(template)}
    invoked = {
        (role, resource)
        for role, properties in template.resources_of("AWS::IAM::Role").items()
        for statement in list_statements(properties, "Allow")
        for action in listed(statement.get("Action"))
        for resource in listed(statement.get("Resource"))
        if fnmatchcase("lambda:InvokeFunction", action) or action.startswith("lambda:Invoke")
    }
    expected = {(role, name) for role in ("ScriptRole", "PublishRole") for name in (sandbox, f"{sandbox}-*")}
    started = ("SubmitFunction", "PublishFunction", "RescoreFunction", "SweepFunction")
    expected |= {("ApiRole", template.resources[name].arn or "") for name in started}
    others = {name: arn for name, arn in named.items() if name != SANDBOX}
    return list_violations(
        SANDBOX,
        {
            f"only {expected} may invoke, found {invoked}": invoked == expected,
            f"the names of {others} begin with its own": all(arn.startswith(f"{sandbox}-") for arn in others.values()),
        },
    )


def check_sandbox_role(template: Template) -> list[str]:
    """The role may log and attach to its network; the code may only log."""
    role = template.resources["SandboxRole"]
    allowed = [
        (frozenset(listed(statement.get("Action"))), listed(statement.get("Resource")))
        for statement in list_statements(role.properties, "Allow")
    ]
    denied = [
        (
            frozenset(listed(statement.get("NotAction"))),
            listed(statement.get("Resource")),
            statement.get("Condition"),
        )
        for statement in list_statements(role.properties, "Deny")
    ]
    from_code = {"ArnLike": {"lambda:SourceFunctionArn": f"{template.resources[SANDBOX].arn}*"}}
    users = {
        function
        for function, properties in template.resources_of("AWS::Lambda::Function").items()
        if properties["Role"] == role.arn
    }
    expectations = {
        "it allows its own logs and the interface actions alone": allowed
        == [(LOG_ACTIONS, [template.resources["SandboxLogs"].arn]), (INTERFACE_ACTIONS, ["*"])],
        "all but the logs is denied to the code": denied == [(LOG_ACTIONS, ["*"], from_code)],
        "it is the sandboxes' alone": users == _sandboxes(template).keys(),
        "no policy beside it adds rights": not template.resources_of("AWS::IAM::Policy")
        and not template.resources_of("AWS::IAM::ManagedPolicy"),
    }
    return list_violations("SandboxRole", expectations)


def check_network(template: Template) -> list[str]:
    """The sandbox runs in private subnets without routes, endpoints or resolver."""
    violations = [
        f"{name}: {resource.type} may lead out of the sandbox's network"
        for name, resource in template.resources.items()
        if resource.type.startswith(_NETWORK_SERVICES) and resource.type not in NETWORK
    ]
    associations = template.resources_of("AWS::EC2::SubnetRouteTableAssociation").values()
    routed = {association["SubnetId"] for association in associations}
    (vpc,) = template.resources_of("AWS::EC2::VPC").values()
    for sandbox, properties in _sandboxes(template).items():
        config = properties.get("VpcConfig", {})
        subnets = [_find(template, "AWS::EC2::Subnet", reference) for reference in config.get("SubnetIds", [])]
        expectations = {
            "it runs in one subnet": len(subnets) == 1,
            "no subnet gives public addresses": not any(subnet.get("MapPublicIpOnLaunch", True) for subnet in subnets),
            "every subnet has a route table without routes": routed >= set(config.get("SubnetIds", [])),
            "its VPC has no resolver": vpc.get("EnableDnsSupport") is False,
        }
        violations += list_violations(sandbox, expectations)
    return violations


def check_security_group(template: Template) -> list[str]:
    """The one security group of the sandboxes allows no traffic."""
    groups = [each.get("VpcConfig", {}).get("SecurityGroupIds", []) for each in _sandboxes(template).values()]
    group = template.resources["SandboxSecurityGroup"]
    egress = [(rule["IpProtocol"], rule.get("CidrIp")) for rule in group.properties.get("SecurityGroupEgress", [])]
    expectations = {
        "every sandbox is in this security group alone": all(each == [group.ref] for each in groups),
        "nothing may come in": not group.properties.get("SecurityGroupIngress"),
        # Without any rule EC2 adds one that allows everything.
        f"the one rule out leads to {_NOWHERE}": egress == [_NOWHERE],
    }
    return list_violations("SandboxSecurityGroup", expectations)


def check_room(template: Template) -> list[str]:
    """The sandboxes fit the largest script, its time and the calls of ScriptFunction."""
    return [fault for name in _sandboxes(template) for fault in _check_room(template, name)]


def _check_room(template: Template, name: str) -> list[str]:
    sandbox, script = (template.resources[each].properties for each in (name, "ScriptFunction"))
    (source,) = (
        mapping
        for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values()
        if template.logical_id_of(mapping["EventSourceArn"]) == "ScriptQueue"
    )
    files = _most("files_mib")
    patience = aws._CONFIGS["lambda"].read_timeout  # type: ignore[attr-defined]  # botocore sets it, its types do not say so
    calls = MAX_VERSIONS * MAX_DEATHS
    needed = _most("memory_mib") + files + RUNNER_MIB
    concurrency = int(source.get("ScalingConfig", {}).get("MaximumConcurrency", 0))
    expectations = {
        f"MemorySize is {needed} or more": sandbox["MemorySize"] >= needed,
        f"EphemeralStorage is above {files}": sandbox.get("EphemeralStorage", {}).get("Size", 0) > files,
        f"script, sandbox and the call of ScriptFunction (waits {patience} s) end in this order": (
            _most("timeout_seconds") < sandbox["Timeout"] < patience
        ),
        f"ScriptFunction outlives {calls} calls: two versions of a script that kills its runner": (
            calls * patience + MAX_VERSIONS * sum(BACKOFF_SECONDS) < script["Timeout"]
        ),
        f"{concurrency} are reserved, or none": (
            int(sandbox.get("ReservedConcurrentExecutions", concurrency)) == concurrency
        ),
        "only the default runtime has a reservation": name == SANDBOX or "ReservedConcurrentExecutions" not in sandbox,
    }
    return list_violations(name, expectations)


def check_generations(template: Template) -> list[str]:
    """ScriptFunction writes only the sandbox generations of AccessTable."""
    conditions = [
        statement.get("Condition")
        for statement in list_statements(template.resources["ScriptRole"].properties, "Allow")
        if template.resources["AccessTable"].arn in listed(statement.get("Resource"))
        and "dynamodb:PutItem" in listed(statement.get("Action"))
    ]
    expected = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["sandbox#*"]}}
    return list_violations(
        "ScriptRole", {f"its right to write AccessTable has the condition {expected}": conditions == [expected]}
    )


def _sandboxes(template: Template) -> dict[str, Properties]:
    """Return the properties of the sandbox of each runtime."""
    functions = template.resources_of("AWS::Lambda::Function")
    return {name: properties for name, properties in functions.items() if name.startswith("Sandbox")}


def _find(template: Template, resource_type: str, reference: str) -> Properties:
    resource = template.resources[template.logical_id_of(reference)]
    if resource.type != resource_type:
        raise AssertionError(f"{reference} is no {resource_type}")
    return resource.properties


def _most(limit: str) -> int:
    """Return the highest value of a limit that a benchmark may set."""
    bounds = (bound.le for bound in ScriptParameters.model_fields[limit].metadata if hasattr(bound, "le"))
    return int(MOST["platform"].get(limit) or next(bounds))
