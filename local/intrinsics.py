"""CloudFormation's intrinsic functions, resolved as in a deployment but with predictable names."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

REGION: Final = "us-east-1"
ACCOUNT: Final = "123456789012"
STACK: Final = "laurel-local"

_PSEUDO_PARAMETERS: Final = {
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::StackName": STACK,
    "AWS::URLSuffix": "amazonaws.com",
}
_NO_VALUE: Final = object()
_VARIABLE: Final = re.compile(r"\$\{([^!}][^}]*)\}")
_LITERAL: Final = re.compile(r"\$\{!([^}]*)\}")


class TemplateError(Exception):
    """The template uses what this resolver does not know; the message names it."""


class _Kind(NamedTuple):
    """How resources of a type are named: their name property, ARN, and the value of `Ref`."""

    name_property: str | None
    arn: str | None
    ref: str = "{name}"


_KINDS: Final = {
    "AWS::ApiGatewayV2::Api": _Kind(None, f"arn:aws:apigateway:{REGION}::/apis/{{name}}"),
    "AWS::CloudFront::Distribution": _Kind(None, f"arn:aws:cloudfront::{ACCOUNT}:distribution/{{name}}"),
    "AWS::CloudFront::Function": _Kind("Name", None, f"arn:aws:cloudfront::{ACCOUNT}:function/{{name}}"),
    "AWS::DynamoDB::Table": _Kind("TableName", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{{name}}"),
    "AWS::Events::Rule": _Kind("Name", f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{{name}}"),
    "AWS::IAM::Role": _Kind("RoleName", f"arn:aws:iam::{ACCOUNT}:role/{{name}}"),
    "AWS::Lambda::Function": _Kind("FunctionName", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{{name}}"),
    "AWS::Lambda::LayerVersion": _Kind(None, None, f"arn:aws:lambda:{REGION}:{ACCOUNT}:layer:{{name}}:1"),
    "AWS::Logs::LogGroup": _Kind("LogGroupName", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{{name}}:*"),
    "AWS::S3::Bucket": _Kind("BucketName", "arn:aws:s3:::{name}"),
    "AWS::SES::ConfigurationSet": _Kind("Name", f"arn:aws:ses:{REGION}:{ACCOUNT}:configuration-set/{{name}}"),
    "AWS::SNS::Topic": _Kind(
        "TopicName", f"arn:aws:sns:{REGION}:{ACCOUNT}:{{name}}", f"arn:aws:sns:{REGION}:{ACCOUNT}:{{name}}"
    ),
    "AWS::SQS::Queue": _Kind(
        "QueueName",
        f"arn:aws:sqs:{REGION}:{ACCOUNT}:{{name}}",
        f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{{name}}",
    ),
}
_UNKNOWN_KIND: Final = _Kind(None, None)
_ATTRIBUTES: Final = {
    ("AWS::ApiGatewayV2::Api", "ApiEndpoint"): f"https://{{name}}.execute-api.{REGION}.amazonaws.com",
    ("AWS::CloudFront::Distribution", "DomainName"): "{name}.cloudfront.net",
    ("AWS::CloudFront::Function", "FunctionARN"): f"arn:aws:cloudfront::{ACCOUNT}:function/{{name}}",
    # In AWS the label is the time at which the stream was enabled.
    ("AWS::DynamoDB::Table", "StreamArn"): f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{{name}}/stream/local",
    ("AWS::EC2::SecurityGroup", "GroupId"): "{name}",
    ("AWS::S3::Bucket", "RegionalDomainName"): f"{{name}}.s3.{REGION}.amazonaws.com",
    ("AWS::SQS::Queue", "QueueName"): "{name}",
}


@dataclass(frozen=True)
class Resolver:
    """Resolves the intrinsic functions of one translated template."""

    document: Mapping[str, Any]
    parameters: Mapping[str, str]

    def resolve(self, value: Any) -> Any:
        """Return the value with every intrinsic function in it resolved.

        Raises TemplateError if a function, a condition, a name or an attribute is unknown.
        """
        if isinstance(value, list):
            return [element for element in map(self.resolve, value) if element is not _NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            key, argument = next(iter(value.items()))
            if key == "Ref" or key.startswith("Fn::"):
                return self._call(key, argument)
        resolved = {key: self.resolve(element) for key, element in value.items()}
        return {key: element for key, element in resolved.items() if element is not _NO_VALUE}

    def condition(self, name: str) -> bool:
        """Return whether a condition of the template holds."""
        return bool(self.resolve(self._entry("Conditions", name)))

    def name(self, logical_id: str) -> str:
        """Return the physical name of a resource, by default `laurel-local-<logical id>`."""
        kind, properties = self._kind(logical_id), self._entry("Resources", logical_id).get("Properties", {})
        if kind.name_property in properties:
            return str(self.resolve(properties[kind.name_property]))
        return f"{STACK}-{logical_id.lower()}"

    def ref(self, name: str) -> Any:
        """Return the value of `Ref`: of a parameter, or a resource's name, URL or ARN."""
        if name == "AWS::NoValue":
            return _NO_VALUE
        if name in _PSEUDO_PARAMETERS:
            return _PSEUDO_PARAMETERS[name]
        if name in self.parameters:
            return self.parameters[name]
        if name in self.document.get("Parameters", {}):
            parameter = self._entry("Parameters", name)
            # A deployment makes up what may not be shown.
            return f"{name}OfThisMachine" if parameter.get("NoEcho") else parameter["Default"]
        return self._kind(name).ref.format(name=self.name(name))

    def attribute(self, logical_id: str, attribute: str) -> str:
        """Return the value of `Fn::GetAtt`, for the attributes that this project uses.

        Raises TemplateError if the resource or the attribute is unknown.
        """
        resource_type = self._entry("Resources", logical_id)["Type"]
        pattern = self._kind(logical_id).arn if attribute == "Arn" else _ATTRIBUTES.get((resource_type, attribute))
        if pattern is None:
            raise TemplateError(f"{logical_id}.{attribute}: no such attribute of {resource_type} is known")
        return pattern.format(name=self.name(logical_id))

    def arn(self, logical_id: str) -> str | None:
        """Return the ARN of a resource; None if its type has none that is used."""
        pattern = self._kind(logical_id).arn
        return None if pattern is None else pattern.format(name=self.name(logical_id))

    def _call(self, function: str, argument: Any) -> Any:
        calls: dict[str, Callable[[Any], Any]] = {
            "Ref": self.ref,
            "Fn::Equals": lambda pair: self.resolve(pair[0]) == self.resolve(pair[1]),
            "Fn::GetAZs": lambda region: [f"{self.resolve(region) or REGION}{zone}" for zone in "abc"],
            "Fn::GetAtt": lambda path: self.attribute(*(path.split(".", 1) if isinstance(path, str) else path)),
            "Fn::If": lambda choice: self.resolve(choice[1] if self.condition(choice[0]) else choice[2]),
            "Fn::Not": lambda sole: not self.resolve(sole[0]),
            "Fn::Select": lambda choice: self.resolve(choice[1])[int(choice[0])],
            "Fn::Sub": self._substitute,
        }
        if function not in calls:
            raise TemplateError(f"{function} is none of {', '.join(calls)}")
        return calls[function](argument)

    def _substitute(self, argument: Any) -> str:
        text, variables = (argument, {}) if isinstance(argument, str) else argument

        def replace(match: re.Match[str]) -> str:
            name = match.group(1)
            if name in variables:
                return str(self.resolve(variables[name]))
            return self.attribute(*name.split(".", 1)) if "." in name else str(self.ref(name))

        return _LITERAL.sub(r"${\1}", _VARIABLE.sub(replace, text))

    def _kind(self, logical_id: str) -> _Kind:
        return _KINDS.get(self._entry("Resources", logical_id)["Type"], _UNKNOWN_KIND)

    def _entry(self, section: str, name: str) -> Any:
        try:
            return self.document[section][name]
        except KeyError as error:
            raise TemplateError(f"{name} is not in the template's {section}") from error
