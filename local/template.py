"""template.yaml, translated and resolved: every name, ARN and setting as in a deployed stack.

The local stack creates its buckets, queues, tables and event sources from it, and tests check the template's rules on
it. It is translated when a package is built, so that a stack starts without SAM: see scripts/translation.py.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from local.intrinsics import Resolver, TemplateError
from local.layout import ROOT, TRANSLATED
from sandbox.runtimes import SHIPPED, hash_locks

type Properties = dict[str, Any]

_VARIABLE = re.compile(r"\{[a-z]+(\+?)\}")


class Route(NamedTuple):
    """A route of the HTTP API: method in upper case, path as in OpenAPI, and its function."""

    method: str
    path: str
    function: str


def find_route(routes: Iterable[Route], method: str, path: str) -> Route | None:
    """Return the route that takes a request; None if none does.

    As in API Gateway, the whole path comes before the beginning of one, and the longer beginning before the shorter.
    """
    taking = [route for route in routes if route.method == method and _compile(route.path).fullmatch(path)]
    return max(taking, key=lambda route: ("+" not in route.path, len(route.path)), default=None)


def _compile(path: str) -> re.Pattern[str]:
    return re.compile(_VARIABLE.sub(lambda variable: ".+" if variable[1] else "[^/]+", path), re.DOTALL)


class Resource(NamedTuple):
    """A resource as deployed.

    Args:
        type: CloudFormation's name of it, such as `AWS::SQS::Queue`.
        name: Its physical name.
        ref: The value of `Ref`: the name; of a queue its URL, of a layer its ARN.
        arn: None where its type has none, or none that this project uses.
        properties: Its properties, resolved.
    """

    type: str
    name: str
    ref: str
    arn: str | None
    properties: Properties


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

    def cors(self) -> Properties:
        """Return the CORS settings of the HTTP API, `maxAge` in seconds."""
        return dict(self._openapi()["x-amazon-apigateway-cors"])

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


def load_template(parameters: Mapping[str, str]) -> Template:
    """Return the template of this release, resolved.

    Args:
        parameters: Parameter name → value, such as `{"Stage": "dev"}`; others take their defaults.

    Raises:
        TemplateError: It is not translated yet, or template.yaml has changed since, or it uses what the resolver does
            not know.
    """
    source = ROOT / "template.yaml"
    translated = json.loads(TRANSLATED.read_bytes()) if TRANSLATED.is_file() else {}
    # An installed package has the translation alone.
    if not translated or (source.is_file() and translated["source"] != hash_source(source)):
        raise TemplateError(
            "template.yaml has changed, or was never translated: `make run` and `make test` translate it"
        )
    return resolve(translated["document"], parameters)


def hash_source(source: Path) -> str:
    """Return what identifies a template, the scripts that add to it, and the runtimes."""
    files = [source, *sorted((source.parent / "scripts" / "deployment").glob("*.py"))]
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(content + json.dumps(hash_locks(SHIPPED)).encode()).hexdigest()


def resolve(document: Mapping[str, Any], parameters: Mapping[str, str]) -> Template:
    """Resolve a translated template without changing it.

    Raises:
        TemplateError: The template uses what the resolver does not know, or a parameter has a value that it excludes.
    """
    for name, value in parameters.items():
        # One machine may do less at once than AWS can be told to.
        declared = document["Parameters"].get(name, {}) | {"MinValue": 0}
        if fault := find_fault(name, declared, value):
            raise TemplateError(fault)
    resolver = Resolver(document, parameters)
    present = {
        logical_id: _build_resource(resolver, logical_id, declared)
        for logical_id, declared in document["Resources"].items()
        if "Condition" not in declared or resolver.condition(declared["Condition"])
    }
    outputs = {name: resolver.resolve(output["Value"]) for name, output in document.get("Outputs", {}).items()}
    return Template(document=document, resources=present, outputs=outputs)


def find_fault(name: str, declared: Mapping[str, Any], value: str) -> str | None:
    """Return why a parameter excludes a value; None if it does not."""
    wanted: str = declared.get("ConstraintDescription", "a whole number")
    if declared.get("Type") == "Number":
        least, most = declared.get("MinValue", 0), declared.get("MaxValue")
        wanted += f" from {least}" + ("" if most is None else f" to {most}")
        is_valid = re.fullmatch("[0-9]+", value) and least <= int(value) <= (most or int(value))
    else:
        is_valid = re.fullmatch(declared.get("AllowedPattern", ".*"), value, re.DOTALL)
    if is_valid:
        return None
    return f"{name}: expected {wanted}" + ("" if "NoEcho" in declared else f", found {value!r}")


def _build_resource(resolver: Resolver, logical_id: str, declared: Mapping[str, Any]) -> Resource:
    return Resource(
        type=declared["Type"],
        name=resolver.name(logical_id),
        ref=resolver.ref(logical_id),
        arn=resolver.arn(logical_id),
        properties=resolver.resolve(declared.get("Properties", {})),
    )
