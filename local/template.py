"""template.yaml, translated and resolved: every name, ARN and setting as in a deployed stack.

`translate(path, parameters)` works offline and without credentials. The local stack creates its buckets, queues, tables
and event sources from the result, and tests check the template's rules on it.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml
from boto3 import Session
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

from local.intrinsics import REGION, Resolver, TemplateError

type Properties = dict[str, Any]

_LOCAL_CODE: Final = {"AWS::Serverless::Function": "CodeUri", "AWS::Serverless::LayerVersion": "ContentUri"}


class Route(NamedTuple):
    """A route of the HTTP API: method in upper case, path as in OpenAPI, and its function."""

    method: str
    path: str
    function: str


class Cors(NamedTuple):
    """The CORS settings of the HTTP API; max_age in seconds."""

    allow_origins: list[str]
    allow_methods: list[str]
    allow_headers: list[str]
    expose_headers: list[str]
    max_age: int


class Resource(NamedTuple):
    """A resource as deployed.

    Args:
        type: CloudFormation's name of it, such as `AWS::SQS::Queue`.
        name: Its physical name.
        ref: The value of `Ref`: the name; of a queue its URL, of a layer its ARN.
        arn: None where its type has none, or none that this project uses.
        properties: Its properties, resolved.
        attributes: Its other keys (DeletionPolicy, DependsOn …), resolved.
    """

    type: str
    name: str
    ref: str
    arn: str | None
    properties: Properties
    attributes: Properties


@dataclass(frozen=True)
class Template:
    """A translated template under given parameters.

    Args:
        document: Plain CloudFormation, nothing resolved: what cfn-lint reads.
        resources: Logical id → resource, without those whose condition does not hold.
        outputs: Output name → value.
    """

    document: Mapping[str, Any]
    resources: Mapping[str, Resource]
    outputs: Mapping[str, Any]

    def resources_of(self, resource_type: str) -> dict[str, Properties]:
        """Return the properties of every resource of a type, by logical id, in order."""
        return {key: resource.properties for key, resource in self.resources.items() if resource.type == resource_type}

    def logical_id_of(self, reference: str) -> str:
        """Return the logical id of the resource that a name, URL or ARN belongs to.

        Args:
            reference: A resolved Ref or ARN, or anything below that ARN: a stream belongs to its table.

        Raises:
            TemplateError: It belongs to none.
        """
        for logical_id, resource in self.resources.items():
            if reference in {resource.name, resource.ref, resource.arn}:
                return logical_id
            if resource.arn is not None and reference.startswith(f"{resource.arn}/"):
                return logical_id
        raise TemplateError(f"{reference!r} belongs to no resource of the template")

    def routes(self) -> list[Route]:
        """Return every route of the HTTP API."""
        return [
            Route(method.upper(), path, self._integrated_function(operation))
            for path, operations in self._openapi()["paths"].items()
            for method, operation in operations.items()
        ]

    def api_function(self) -> str:
        """Return the logical id of the one function behind the HTTP API."""
        (function,) = {route.function for route in self.routes()}
        return function

    def cors(self) -> Cors:
        """Return the CORS settings of the HTTP API."""
        settings = self._openapi()["x-amazon-apigateway-cors"]
        return Cors(
            allow_origins=settings["allowOrigins"],
            allow_methods=settings["allowMethods"],
            allow_headers=settings["allowHeaders"],
            expose_headers=settings["exposeHeaders"],
            max_age=settings["maxAge"],
        )

    def origin_headers(self) -> dict[str, str]:
        """Return the headers that CloudFront adds for the API, names in lower case."""
        (distribution,) = self.resources_of("AWS::CloudFront::Distribution").values()
        origins = {origin["Id"]: origin for origin in distribution["DistributionConfig"]["Origins"]}
        return {header["HeaderName"].lower(): header["HeaderValue"] for header in origins["api"]["OriginCustomHeaders"]}

    def _openapi(self) -> Properties:
        (api,) = self.resources_of("AWS::ApiGatewayV2::Api").values()
        return dict(api["Body"])

    def _integrated_function(self, operation: Properties) -> str:
        uri = operation["x-amazon-apigateway-integration"]["uri"]
        return self.logical_id_of(uri.partition("/functions/")[2].removesuffix("/invocations"))


def translate(path: Path, parameters: Mapping[str, str]) -> Template:
    """Translate a SAM template as a deployment does, and resolve it.

    Args:
        path: The SAM template.
        parameters: Parameter name → value, such as `{"Stage": "dev"}`; others take their defaults.

    Raises:
        TemplateError: The template uses what the resolver does not know.
        InvalidDocumentException: SAM cannot translate it (samtranslator).
    """
    source = _read_source(path)
    _replace_local_code(source)
    # Without a session the translator reads the region from the environment, which may have none.
    translator = Translator(managed_policy_map={}, sam_parser=Parser(), boto_session=Session(region_name=REGION))
    translated = translator.translate(source, parameter_values=dict(parameters))
    translator.metrics.publish()  # to nowhere; unpublished metrics cause a warning at garbage collection
    # JSON replaces the translator's own types of str and dict.
    return resolve(json.loads(json.dumps(translated)), parameters)


def list_parameters(path: Path) -> list[str]:
    """Return the names of the parameters that a template has."""
    return list(_read_source(path)["Parameters"])


def resolve(document: Mapping[str, Any], parameters: Mapping[str, str]) -> Template:
    """Resolve a translated template without changing it.

    Raises:
        TemplateError: The template uses what the resolver does not know.
    """
    resolver = Resolver(document, parameters)
    present = {
        logical_id: _build_resource(resolver, logical_id, declared)
        for logical_id, declared in document["Resources"].items()
        if "Condition" not in declared or resolver.condition(declared["Condition"])
    }
    outputs = {name: resolver.resolve(output["Value"]) for name, output in document.get("Outputs", {}).items()}
    return Template(document=document, resources=present, outputs=outputs)


def _build_resource(resolver: Resolver, logical_id: str, declared: Mapping[str, Any]) -> Resource:
    attributes = copy.deepcopy({key: declared[key] for key in declared if key not in {"Type", "Properties"}})
    return Resource(
        type=declared["Type"],
        name=resolver.name(logical_id),
        ref=resolver.ref(logical_id),
        arn=resolver.arn(logical_id),
        properties=resolver.resolve(declared.get("Properties", {})),
        attributes=resolver.resolve(attributes),
    )


def _replace_local_code(source: Properties) -> None:
    """Replace local code folders by S3 URLs with the folder as key, as SAM requires."""
    function_globals = source.get("Globals", {}).get("Function", {})
    sections = [(function_globals, "CodeUri")] if "CodeUri" in function_globals else []
    for resource in source["Resources"].values():
        key = _LOCAL_CODE.get(resource["Type"])
        if key is not None and key in resource["Properties"]:
            sections.append((resource["Properties"], key))
    for properties, key in sections:
        properties[key] = f"s3://laurel-local-artifacts/{properties[key].strip('/')}"


def _read_source(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_SamLoader)  # noqa: S506 — a SafeLoader with tags


class _SamLoader(yaml.SafeLoader):
    """Reads CloudFormation's short forms; as a subclass it changes no other reader of YAML."""


def _construct_intrinsic(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    name = tag if tag in {"Ref", "Condition"} else f"Fn::{tag}"
    match node:
        case yaml.ScalarNode():
            argument: Any = loader.construct_scalar(node)
        case yaml.SequenceNode():
            argument = loader.construct_sequence(node, deep=True)
        case _:
            argument = loader.construct_mapping(node, deep=True)  # type: ignore[arg-type]  # what is left of the three kinds
    if tag == "GetAtt" and isinstance(argument, str):
        argument = argument.split(".", 1)
    return {name: argument}


_SamLoader.add_multi_constructor("!", _construct_intrinsic)
