"""Rules of single resources: functions, buckets, tables, queues and the HTTP API."""

import re
from collections.abc import Mapping
from typing import Any, Final

from local.template import Route, Template
from storage.settings import (
    AggregateSettings,
    ApiSettings,
    BatchDeadLetterSettings,
    BatchSettings,
    DeadLetterSettings,
    EvaluateSettings,
    NotifySettings,
    PublishSettings,
    RescoreSettings,
    ScriptSettings,
    SendSettings,
    Settings,
    SubmitSettings,
    SweepSettings,
    UpkeepSettings,
)
from tests.architecture.expectations import list_violations

PACKAGES_VARIABLES: Final = {"POWERTOOLS_LOG_LEVEL", "POWERTOOLS_SERVICE_NAME", "PYDANTIC_DISABLE_PLUGINS"}
SETTINGS: Final[dict[str, type[Settings]]] = {
    "SubmitFunction": SubmitSettings,
    "ApiFunction": ApiSettings,
    "DropFunction": BatchSettings,
    "DropDeadLetterFunction": BatchDeadLetterSettings,
    "EvaluateFunction": EvaluateSettings,
    "ScriptFunction": ScriptSettings,
    "DeadLetterFunction": DeadLetterSettings,
    "AggregateFunction": AggregateSettings,
    "NotifyFunction": NotifySettings,
    "SendFunction": SendSettings,
    "SweepFunction": SweepSettings,
    "RescoreFunction": RescoreSettings,
    "PublishFunction": PublishSettings,
    "UpkeepFunction": UpkeepSettings,
}
READ_HEADERS: Final = {
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Laurel-Player-Key",
    "Laurel-Ticket",
    "Prefer",
}
"""Of requests, those that the API reads; libraries add others."""
CORS: Final = {
    "allowOrigins": ["*"],
    "allowMethods": ["GET", "POST", "OPTIONS"],
    "allowHeaders": [],
    "exposeHeaders": ["Date", "Location", "Retry-After"],
    "maxAge": 86400,
}
"""What pages of other origins may do, but for the headers that they may send."""
ROUTES: Final = {
    *(Route(method, "/api/{proxy+}", "ApiFunction") for method in ("GET", "HEAD", "POST")),
    *(Route(method, "/api/v2/{proxy+}", "SubmitFunction") for method in ("GET", "HEAD", "POST")),
    *(
        Route("POST", f"/api/benchmarks/{{benchmark}}/{what}", "SubmitFunction")
        for what in ("submissions", "runs", "uploads", "large")
    ),
    Route("POST", "/api/submit", "SubmitFunction"),
}
"""What takes results has a function of its own, so that nothing else takes its place."""
MOST_RESULTS: Final = 200
"""Requests a second that `make deploy` chooses at most; docs/operations.md, Budgets of concurrency, explains them."""
_PRIVATE: Final = {"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"}


def check_functions(template: Template) -> list[str]:
    """Every function runs compiled Python 3.13 on arm64 and logs JSON for a time."""
    violations = []
    groups = {template.resources[key].ref: value for key, value in template.resources_of("AWS::Logs::LogGroup").items()}
    for function, properties in template.resources_of("AWS::Lambda::Function").items():
        logging = properties.get("LoggingConfig", {})
        expectations = {
            "Runtime is python3.13": properties.get("Runtime") == "python3.13",
            "Architectures is arm64": properties.get("Architectures") == ["arm64"],
            "BuildMethod is makefile": template.document["Resources"][function].get("Metadata", {}).get("BuildMethod")
            == "makefile",
            "LogFormat is JSON": logging.get("LogFormat") == "JSON",
            "Lambda logs no start and no report": logging.get("SystemLogLevel") == "WARN",
            "LogGroup is one of the template's": logging.get("LogGroup") in groups,
        }
        violations += list_violations(function, expectations)
    violations += [f"{name}: no RetentionInDays" for name, group in groups.items() if "RetentionInDays" not in group]
    return violations


def check_environments(template: Template) -> list[str]:
    """Every function has the variables that its settings require, and no others."""
    violations = []
    for function, properties in template.resources_of("AWS::Lambda::Function").items():
        given = set(properties.get("Environment", {}).get("Variables", {}))
        if function not in SETTINGS:
            violations += [f"{function}: has no settings, and is given {name}" for name in sorted(given)]
            continue
        settings = SETTINGS[function]
        readable = PACKAGES_VARIABLES | set(map(str.upper, settings.types))
        required = PACKAGES_VARIABLES | {name.upper() for name in settings.types if settings.requires(name)}
        violations += [f"{function}: lacks {name}" for name in sorted(required - given)]
        violations += [f"{function}: does not read {name}" for name in sorted(given - readable)]
    return violations


def check_buckets(template: Template) -> list[str]:
    """Every bucket is private, versioned, encrypted and retained."""
    violations = []
    for bucket, properties in template.resources_of("AWS::S3::Bucket").items():
        blocked = properties.get("PublicAccessBlockConfiguration", {})
        owners = [rule["ObjectOwnership"] for rule in properties.get("OwnershipControls", {}).get("Rules", [])]
        lifecycle = {key for rule in properties.get("LifecycleConfiguration", {}).get("Rules", []) for key in rule}
        expectations = {
            "public access is blocked": all(blocked.get(key) is True for key in _PRIVATE),
            "the bucket owns its objects": owners == ["BucketOwnerEnforced"],
            "it is versioned": properties.get("VersioningConfiguration") == {"Status": "Enabled"},
            "it is encrypted": "BucketEncryption" in properties,
            "replaced versions expire": "NoncurrentVersionExpiration" in lifecycle,
            "incomplete uploads expire": "AbortIncompleteMultipartUpload" in lifecycle,
            "it outlives its stack": _outlives(template, bucket),
        }
        violations += list_violations(bucket, expectations)
    return violations


def check_tables(template: Template) -> list[str]:
    """Every table is on demand, encrypted without a charge, restorable, and outlives its stack."""
    violations = []
    for table, properties in template.resources_of("AWS::DynamoDB::Table").items():
        expectations = {
            "BillingMode is PAY_PER_REQUEST": properties.get("BillingMode") == "PAY_PER_REQUEST",
            # Once a table has the property, an update cannot drop it: https://github.com/aws/aws-cdk/issues/8286.
            "the key is AWS's own, which costs nothing, and says so": properties.get("SSESpecification")
            == {"SSEEnabled": False},
            "it can be restored": properties.get("PointInTimeRecoverySpecification")
            == {"PointInTimeRecoveryEnabled": True},
            # scripts/deployment/deploy.py protects it when the stack exists.
            "a failed creation can delete it": "DeletionProtectionEnabled" not in properties,
            "it outlives its stack": _outlives(template, table),
        }
        violations += list_violations(table, expectations)
    return violations


def check_queues(template: Template) -> list[str]:
    """Every queue is encrypted, with the key that S3 can use."""
    violations = []
    for queue, properties in template.resources_of("AWS::SQS::Queue").items():
        violations += list_violations(
            queue, {"SqsManagedSseEnabled is true": properties.get("SqsManagedSseEnabled") is True}
        )
    return violations


def check_http(template: Template) -> list[str]:
    """The HTTP API has its routes, CORS, a limit, and a log without secrets."""
    (stage,) = template.resources_of("AWS::ApiGatewayV2::Stage").values()
    logged = stage.get("AccessLogSettings", {}).get("Format", "")
    settings, default = stage.get("RouteSettings", {}), stage.get("DefaultRouteSettings", {})
    routes = {f"{route.method} {route.path}": route.function for route in template.routes()}
    results = _read_limits(default)
    others = [_read_limits(settings.get(key, {})) for key, function in routes.items() if function == "ApiFunction"]
    expectations = {
        f"routes are {ROUTES}": set(template.routes()) == ROUTES,
        f"CORS is {CORS}": {**template.cors(), "allowHeaders": []} == CORS,
        "pages may send the headers that the API reads": set(template.cors()["allowHeaders"]) >= READ_HEADERS,
        "there is an access log": "$context.requestId" in logged,
        "the log has no query string, header or body": not re.search(
            r"querystring|header|body|authorizer", logged, re.IGNORECASE
        ),
        f"results are throttled, at most {MOST_RESULTS} a second": 0 < results[0] <= MOST_RESULTS,
        "bursts of results are throttled": results[0] <= results[1] <= 2 * MOST_RESULTS,
        "what takes no results is throttled apart, and sooner": all(
            0 < rate < results[0] >= burst > 0 for rate, burst in others
        ),
        "each route with a limit of its own exists, or API Gateway refuses the stage": settings.keys() <= routes.keys(),
        "what takes results has the limit of results": "SubmitFunction" not in map(routes.get, settings),
    }
    return list_violations("HttpApi", expectations)


def _read_limits(settings: Mapping[str, Any]) -> tuple[int, int]:
    """Return rate and burst of a route; 0 if there is none."""
    return int(settings.get("ThrottlingRateLimit", 0)), int(settings.get("ThrottlingBurstLimit", 0))


def _outlives(template: Template, logical_id: str) -> bool:
    attributes = template.document["Resources"][logical_id]
    policies = (attributes.get("DeletionPolicy"), attributes.get("UpdateReplacePolicy"))
    return policies == ("RetainExceptOnCreate", "Retain")
