# run as a script in the emulator's environment, on parts of it that the lock pins
"""Starts ministack with what the rehearsal needs of AWS and ministack lacks.

Added: the routes of an HTTP API that OpenAPI defines; CloudFront's requests to such an API; the
condition keys `lambda:SourceFunctionArn`, `s3:if-none-match` and `ses:FromAddress`, and `dynamodb:LeadingKeys` and
`dynamodb:Attributes` of items (`keys.py`), without which a statement under them allows every item; the right to one
message for a batch of them; numbers that are parameters of the template; origin groups; S3's 404 for CloudFront; and a
view of the machine for each function (`view.py`). What AWS rejects besides is in `walls.py`.
"""

import http.client
import json
import os
from typing import Any, Final
from urllib.parse import parse_qs

from keys import find_attributes, find_keys
from ministack import app
from ministack.core import iam_actions, iam_evaluator, lambda_runtime
from ministack.core.responses import get_account_id
from ministack.services import apigateway, cloudfront, dynamodb, lambda_svc, s3
from ministack.services.cloudformation import provisioners
from view import ViewedProcesses
from walls import build_walls

type Created = tuple[str, dict[str, Any]]
HANDLERS: Final[dict[str, dict[str, Any]]] = provisioners._RESOURCE_HANDLERS
"""Type of a resource → how CloudFormation creates, updates and deletes it."""
HTTP_API: Final = "AWS::ApiGatewayV2::Api"
EXECUTE_API: Final = ".execute-api."
SEND_EMAIL: Final = "/v2/email/outbound-emails"
REGION: Final = os.environ["AWS_DEFAULT_REGION"]

_create_api = HANDLERS[HTTP_API]["create"]
_update_api = HANDLERS[HTTP_API]["update"]
_describe_caller = iam_evaluator._principal_keys
_find_action = iam_actions._action_from_target
_describe_items = iam_actions.dynamodb_service_context
_describe_object = iam_actions.s3_service_context
_enforce_ses = app._enforce_ses_v2
_fetch_from_origin = cloudfront._fetch_from_origin
_fetch_from_bucket = s3.serve_cloudfront_origin_fetch
_parse_distribution = cloudfront.parse_distribution_dataplane_config
_find_concurrency = lambda_svc._sqs_esm_concurrency


def create_api(logical_id: str, properties: dict[str, Any], stack: str) -> Created:
    """Create an API with the routes of its definition."""
    api, attributes = _create_api(logical_id, {**properties, "CorsConfiguration": find_cors(properties)}, stack)
    set_routes(api, properties["Body"])
    return api, attributes


def update_api(
    physical_id: str, before: dict[str, Any], after: dict[str, Any], stack: str, logical_id: str | None = None
) -> Created:
    """Update an API, and its routes if their definition changed."""
    updated: Created = _update_api(physical_id, before, after, stack, logical_id)
    if after["Body"] != before["Body"]:
        set_routes(updated[0], after["Body"])
    return updated


def find_cors(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the CORS settings of the definition in ministack's form."""
    cors: dict[str, Any] = properties["Body"].get("x-amazon-apigateway-cors", {})
    return cors


def set_routes(api: str, definition: dict[str, Any]) -> None:
    """Replace the routes of an API by those of an OpenAPI definition."""
    integrations: dict[str, Any] = {}
    routes: dict[str, Any] = {}
    for path, methods in definition["paths"].items():
        for method, operation in methods.items():
            name = f"route-{len(routes)}"
            integration = operation["x-amazon-apigateway-integration"]
            integrations[name] = {"integrationId": name} | provisioners._apigw_v2_integration_props(
                {"IntegrationUri": integration["uri"], "PayloadFormatVersion": integration["payloadFormatVersion"]}
            )
            routes[name] = {"routeId": name} | provisioners._apigw_v2_route_props(
                {"RouteKey": f"{method.upper()} {path}", "Target": f"integrations/{name}"}
            )
    apigateway._integrations[api] = integrations
    apigateway._routes[api] = routes


def parse_distribution(distribution: dict[str, Any]) -> dict[str, Any]:
    """Return what a distribution does.

    An origin group is its first origin, which has the second one.
    """
    parsed: dict[str, Any] = _parse_distribution(distribution)
    origins, text = parsed["origins"], cloudfront._text
    for group in cloudfront._dist_config_el(distribution).iter():
        if cloudfront._local_tag_name(group) == "OriginGroup":
            members = [text(each, "OriginId") for each in group.iter() if text(each, "OriginId")]
            first, second = (origins[member] for member in members)
            origins[text(group, "Id")] = first | {"second": second}
    return parsed


async def fetch_from_origin(origin: dict[str, Any], *request: Any) -> tuple[Any, ...]:
    """Fetch from an origin, or from the second one of a group if it has nothing."""
    answer = await fetch_from_one_origin(origin, *request)
    if "second" in origin and answer[0] == http.client.NOT_FOUND:
        answer = await fetch_from_one_origin(origin["second"], *request)
    return answer


async def fetch_from_one_origin(
    origin: dict[str, Any], method: str, uri: str, query: str, *rest: Any
) -> tuple[Any, ...]:
    """Fetch from an HTTP API as CloudFront does; else as ministack does."""
    api, is_http_api, _ = origin["domain_name"].partition(EXECUTE_API)
    if not is_http_api:
        answer: tuple[Any, ...] = await _fetch_from_origin(origin, method, uri, query, *rest)
        return answer
    headers, body, _is_https, address, forwarded, _distribution = rest
    uri = origin["origin_path"] + uri
    sent = cloudfront._origin_request_headers(origin, headers, address, forwarded)
    status, answered, content = await app._handle_execute_api_request(
        f"{api}{EXECUTE_API}localhost",
        uri,
        method,
        {name.lower(): value for name, value in sent.items()},
        body,
        parse_qs(query, keep_blank_values=True),
        raw_path=uri,
        raw_query_string=query,
    )
    pairs = [(name, value) for name, values in answered.items() for value in _as_list(values)]
    return status, http.client.responses.get(status, ""), cloudfront._multidict_from_pairs(pairs), content


def fetch_from_bucket(bucket: str, key: str, *request: Any, source_arn: str, **identity: str) -> tuple[Any, ...]:
    """Fetch an object for CloudFront as S3 does.

    One that does not exist is 404 where CloudFront may list the bucket, else 403.
    """
    answer: tuple[Any, ...] = _fetch_from_bucket(bucket, key, *request, source_arn=source_arn, **identity)
    if answer[0] != http.client.FORBIDDEN or key in s3._ensure_bucket(bucket)["objects"]:
        return answer
    asked = iam_evaluator.EvalContext(
        principal_arn="*",
        principal_type="Service",
        principal_account="",
        action="s3:ListBucket",
        resource_arn=f"arn:aws:s3:::{bucket}",
        region=REGION,
        service_context={"aws:sourcearn": source_arn},
    )
    policy = s3._bucket_policies.get_scoped(s3._bucket_owner_account(bucket) or get_account_id(), None, bucket)
    decided = iam_evaluator.evaluate_resource_policy(policy, asked, service="cloudfront.amazonaws.com")
    if decided.decision != "Allow":
        return answer
    missing: tuple[Any, ...] = s3._error("NoSuchKey", "The specified key does not exist.", 404, f"/{bucket}/{key}")
    return missing


def describe_caller(credential: Any) -> dict[str, Any]:
    """Return the condition keys of a caller; a session is named for its function."""
    keys: dict[str, Any] = _describe_caller(credential)
    if credential.principal_type == "AssumedRole":
        function = credential.principal_arn.rpartition("/")[2]
        arn = f"arn:aws:lambda:{REGION}:{credential.account_id}:function:{function}"
        keys["lambda:sourcefunctionarn"] = arn
    return keys


def describe_object(
    action: str, query: dict[str, Any] | None, path: str = "", headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the condition keys of a request to S3, with `if-none-match` of a write."""
    keys: dict[str, Any] = _describe_object(action, query, path, headers)
    value = (headers or {}).get("if-none-match")
    return keys | {"s3:if-none-match": value} if value and action == "s3:PutObject" else keys


def describe_items(body: bytes) -> dict[str, Any]:
    """Return the condition keys of a request to DynamoDB, with those of its items.

    A transaction has the keys of all its items: AWS does not say whether it looks at them one by one.
    """
    keys: dict[str, Any] = _describe_items(body)
    request = json.loads(body or b"{}")
    named = {
        "dynamodb:LeadingKeys": find_keys(request, find_partition),
        "dynamodb:Attributes": find_attributes(request),
    }
    return keys | {name: sorted(values) for name, values in named.items() if values}


def find_partition(table: str, index: str | None) -> str:
    """Return the attribute that is the partition key of a table or of its index."""
    form = dynamodb._tables[table]
    indexes = {each["IndexName"]: each for each in form.get("GlobalSecondaryIndexes") or ()}
    name: str = (indexes[index] if index else form)["KeySchema"][0]["AttributeName"]
    return name


def enforce_ses(  # noqa: PLR0917 — called so
    method: str, path: str, headers: dict[str, str], body: bytes, query: dict[str, Any], request: str
) -> Any:
    """Return the rejection of a mail by sender and configuration set; None if allowed."""
    if path != SEND_EMAIL:
        return _enforce_ses(method, path, headers, body, query, request)
    mail = json.loads(body)
    sender = mail["FromEmailAddress"]
    action = "ses:SendRawEmail" if "Raw" in mail["Content"] else "ses:SendEmail"
    for resource in (f"identity/{sender}", f"configuration-set/{mail['ConfigurationSetName']}"):
        arn = f"arn:aws:ses:{REGION}:{get_account_id()}:{resource}"
        rejection = app._enforce_data_plane(
            "sesv2", action, headers, query, request, resource_arn=arn, service_context={"ses:FromAddress": sender}
        )
        if rejection:
            return rejection
    return None


def find_concurrency(*arguments: Any) -> int:
    """Return how many batches of a queue are processed at once, as a number.

    A parameter of the template reaches ministack as text.
    """
    return int(_find_concurrency(*arguments))


def find_action(headers: dict[str, str]) -> str | None:
    """Return the right that a request needs; a batch of messages needs that to one of them."""
    action = _find_action(headers)
    return action and action.replace("MessageBatch", "Message")


def _as_list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def main() -> None:
    """Run the emulator until it is stopped; its environment says where and how."""
    HANDLERS[HTTP_API] |= {"create": create_api, "update": update_api}
    iam_evaluator._principal_keys = describe_caller
    iam_actions._action_from_target = find_action
    iam_actions.dynamodb_service_context = describe_items
    iam_actions.s3_service_context = describe_object
    app._enforce_ses_v2 = enforce_ses
    cloudfront._fetch_from_origin = fetch_from_origin
    s3.serve_cloudfront_origin_fetch = fetch_from_bucket
    cloudfront.parse_distribution_dataplane_config = parse_distribution
    lambda_svc._sqs_esm_concurrency = find_concurrency
    lambda_runtime.subprocess = ViewedProcesses
    build_walls()
    # Otherwise ministack with TLS also listens on 443, if it is free.
    app._port_is_bindable = lambda *_: False
    app.main()


if __name__ == "__main__":
    main()
