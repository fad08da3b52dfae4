"""Mutations of the sandbox in the template, and the violation that each must cause."""

from typing import Final

from tests.architecture.rules_access import check_rights
from tests.architecture.rules_sandbox import (
    check_attempts,
    check_callers,
    check_generations,
    check_network,
    check_room,
    check_sandbox_role,
    check_security_group,
    check_tenants,
)
from tests.architecture.template_mutations import REMOVED, STATEMENTS, Mutation

_FUNCTION: Final = ("SandboxFunction", "Properties")
_LEARNING: Final = ("SandboxLearningFunction", "Properties")
_ROLE: Final = ("SandboxRole", *STATEMENTS)
_GROUP: Final = ("SandboxSecurityGroup", "Properties")
_ALL_FUNCTIONS: Final = "arn:aws:lambda:us-east-1:123456789012:function:laurel-local-*"
_TO_THE_SANDBOX: Final = {
    "Effect": "Allow",
    "Action": "lambda:InvokeFunction",
    "Resource": {"Fn::GetAtt": ["SandboxFunction", "Arn"]},
}
_MAPPING: Final = {
    "Type": "AWS::Lambda::EventSourceMapping",
    "Properties": {
        "EventSourceArn": {"Fn::GetAtt": ["EvaluateQueue", "Arn"]},
        "FunctionName": {"Ref": "SandboxFunction"},
    },
}
_URL: Final = {
    "Type": "AWS::Lambda::Url",
    "Properties": {"AuthType": "NONE", "TargetFunctionArn": {"Fn::GetAtt": ["SandboxFunction", "Arn"]}},
}
_POLICY: Final = {"Type": "AWS::IAM::Policy", "Properties": {"Roles": [{"Ref": "SandboxRole"}]}}

SANDBOX_MUTATIONS: Final[list[Mutation]] = [
    (check_tenants, (*_FUNCTION, "TenancyConfig"), REMOVED, "tenants are isolated"),
    (check_tenants, (*_FUNCTION, "Code", "S3Key"), "functions", "functions/sandbox alone"),
    (check_tenants, (*_FUNCTION, "Layers", 0), {"Ref": "EvaluateRole"}, "its layers are"),
    (check_tenants, (*_LEARNING, "TenancyConfig"), REMOVED, "SandboxLearningFunction: expected that tenants"),
    (check_tenants, (*_LEARNING, "Layers"), [], "SandboxLearningFunction: expected that its layers"),
    (
        check_attempts,
        ("SandboxLearningFunctionEventInvokeConfig",),
        REMOVED,
        "SandboxLearningFunction: expected that Max",
    ),
    (check_callers, (*_LEARNING, "FunctionName"), "elsewhere", "begin with its own"),
    (check_network, (*_LEARNING, "VpcConfig"), REMOVED, "SandboxLearningFunction: expected that it runs in one"),
    (check_security_group, (*_LEARNING, "VpcConfig", "SecurityGroupIds"), [], "in this security group alone"),
    (check_room, (*_LEARNING, "ReservedConcurrentExecutions"), 20, "only the default runtime"),
    (
        check_attempts,
        ("SandboxFunctionEventInvokeConfig", "Properties", "MaximumRetryAttempts"),
        1,
        "MaximumRetryAttempts is 0",
    ),
    (check_attempts, ("SandboxFunctionEventInvokeConfig",), REMOVED, "MaximumRetryAttempts is 0"),
    (check_attempts, ("Results",), _MAPPING, "Results is another way"),
    (check_attempts, ("Open",), _URL, "Open is another way"),
    (check_callers, ("SubmitRole", *STATEMENTS, 0), _TO_THE_SANDBOX, "'SubmitRole'"),
    (check_callers, ("ScriptRole", *STATEMENTS, 8, "Resource"), _ALL_FUNCTIONS, "laurel-local-*"),
    (check_callers, ("ScriptRole", *STATEMENTS, 8), REMOVED, "'ScriptRole'"),
    (check_sandbox_role, (*_ROLE, 0, "Resource"), {"Fn::GetAtt": ["EvaluateLogs", "Arn"]}, "its own logs"),
    (check_sandbox_role, (*_ROLE, 1, "Action", 0), "ec2:RunInstances", "the interface actions alone"),
    (check_sandbox_role, (*_ROLE, 2), REMOVED, "denied to the code"),
    (check_sandbox_role, (*_ROLE, 2, "NotAction"), ["logs:*", "ec2:*"], "denied to the code"),
    (
        check_sandbox_role,
        (*_ROLE, 2, "Condition", "ArnLike"),
        {"lambda:SourceFunctionArn": "x"},
        "denied to the code",
    ),
    (check_sandbox_role, (*_FUNCTION, "FunctionName"), "renamed", "denied to the code"),
    (check_sandbox_role, ("SubmitFunction", "Properties", "Role"), {"Fn::GetAtt": ["SandboxRole", "Arn"]}, "alone"),
    (check_sandbox_role, ("Beside",), _POLICY, "no policy beside it"),
    (check_rights, (*_ROLE, 1, "Action", 0), "ec2:RunInstances", "SandboxRole: allows"),
    (check_network, ("Out",), {"Type": "AWS::EC2::Route"}, "Out: AWS::EC2::Route may lead out"),
    (check_network, ("Out",), {"Type": "AWS::EC2::InternetGateway"}, "Out: AWS::EC2::InternetGateway"),
    (check_network, ("Out",), {"Type": "AWS::EC2::VPCEndpoint"}, "Out: AWS::EC2::VPCEndpoint"),
    (check_network, ("SandboxVpc", "Properties", "EnableDnsSupport"), REMOVED, "no resolver"),
    (check_network, ("SandboxSubnetA", "Properties", "MapPublicIpOnLaunch"), True, "public addresses"),
    (check_network, ("SandboxSubnetARoutes",), REMOVED, "a route table without routes"),
    (check_network, (*_FUNCTION, "VpcConfig"), REMOVED, "in one subnet"),
    (check_security_group, (*_FUNCTION, "VpcConfig", "SecurityGroupIds"), ["sg-default"], "this security group alone"),
    (check_security_group, (*_GROUP, "SecurityGroupEgress"), REMOVED, "the one rule out"),
    (check_security_group, (*_GROUP, "SecurityGroupEgress", 0, "CidrIp"), "0.0.0.0/0", "the one rule out"),
    (check_security_group, (*_GROUP, "SecurityGroupIngress"), [{"IpProtocol": "-1"}], "nothing may come in"),
    (check_room, (*_FUNCTION, "MemorySize"), 2304, "MemorySize is 2560 or more"),
    (check_room, (*_FUNCTION, "EphemeralStorage"), REMOVED, "EphemeralStorage is above 256"),
    (check_room, (*_FUNCTION, "Timeout"), 120, "end in this order"),
    (check_room, (*_FUNCTION, "Timeout"), 180, "end in this order"),
    (check_room, ("ScriptFunction", "Properties", "Timeout"), 731, "outlives 4 calls"),
    (check_room, (*_FUNCTION, "ReservedConcurrentExecutions"), 19, "20 are reserved, or none"),
    (check_generations, ("ScriptRole", *STATEMENTS, 7, "Condition"), REMOVED, "sandbox#*"),
]
