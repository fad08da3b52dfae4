"""Rules of the site: a private bucket, an API of which only rows are cached, TLS, and security headers."""

from typing import Final

from local.site.files import API_PAGE
from local.site.headers import DEFAULT, read_headers
from local.template import Properties, Template
from tests.architecture.expectations import list_violations, listed

DISTRIBUTION: Final = "SiteDistribution"
ROWS: Final = "/api/benchmarks/*/rows*"
KIT: Final = "/sdk/*"
EMBED: Final = "/embed/*"
BOARDS: Final = "/data/b/*/boards/*"
SERVED: Final = ("/", "/b/*", "/p/*")
"""Pages that are written beside the boards, or by the API, which the site's host is told."""
SUBMIT: Final = "/submit"
PATHS: Final = [DEFAULT, API_PAGE, ROWS, "/api/*", BOARDS, "/data/*", KIT, EMBED, SUBMIT, *SERVED]
"""The behaviours in the order of CloudFront, with the default one first."""

CACHING_DISABLED: Final = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
ALL_VIEWER_EXCEPT_HOST_HEADER: Final = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
CORS_S3_ORIGIN: Final = "88a5eaf4-2fd4-4709-b370-b4c650ea3fcf"
NO_HEADER: Final = {"HeaderBehavior": "none"}
HOST: Final = {"HeaderBehavior": "whitelist", "Headers": ["x-viewer-host"]}
ALL_METHODS: Final = {"GET", "HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE"}
CACHED_ERRORS: Final = {400, 403, 404, 405, 414, 500, 501, 502, 503, 504}
"""What CloudFront caches for 10 s by default. Source: its guide, "HTTP 4xx and 5xx status codes"."""

_EVERYWHERE: Final = {
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
    "X-Content-Type-Options": "nosniff",
}
PAGE_HEADERS: Final = {
    **_EVERYWHERE,
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; "
        "connect-src 'self' UPLOADS; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""UPLOADS stands for the address of the bucket that accepts uploads."""
API_HEADERS: Final = {
    **_EVERYWHERE,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Robots-Tag": "noindex",
}
"""The HTTP API itself sets CORS. Data are no search result, least of all those of an unlisted benchmark."""
DATA_HEADERS: Final = {
    **API_HEADERS,
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""A snapshot that is opened as a page runs nothing; any page may read it."""
EMBED_HEADERS: Final = {
    **_EVERYWHERE,
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors *; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Permissions-Policy": PAGE_HEADERS["Permissions-Policy"],
}
"""Any page may show it in a frame."""


def check_site_bucket(template: Template) -> list[str]:
    """Only the distribution reads the site's bucket; no bucket is a web site."""
    site = _origins(template)["site"]
    access = template.resources_of("AWS::CloudFront::OriginAccessControl")
    bucket, distribution = template.resources["SiteBucket"], template.resources[DISTRIBUTION]
    allowed = [
        statement
        for policy in template.resources_of("AWS::S3::BucketPolicy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
    ]
    expected = {
        "Effect": "Allow",
        "Principal": {"Service": "cloudfront.amazonaws.com"},
        "Action": ["s3:GetObject", "s3:ListBucket"],
        "Resource": [bucket.arn, f"{bucket.arn}/*"],
        "Condition": {"StringEquals": {"aws:SourceArn": distribution.arn}},
    }
    signed = [
        (config["OriginAccessControlOriginType"], config["SigningBehavior"], config["SigningProtocol"])
        for name, properties in access.items()
        for config in [properties["OriginAccessControlConfig"]]
        if template.resources[name].ref == site.get("OriginAccessControlId")
    ]
    expectations = {
        f"the one permission of a bucket's policy is {expected}, found {allowed}": allowed == [expected],
        "the origin is the bucket itself": site["DomainName"] == f"{bucket.name}.s3.us-east-1.amazonaws.com",
        "each request to the bucket is signed": signed == [("s3", "always", "sigv4")],
        "there is no older access identity": site.get("S3OriginConfig") == {"OriginAccessIdentity": ""},
    }
    violations = list_violations("SiteBucket", expectations)
    for name, properties in template.resources_of("AWS::S3::Bucket").items():
        violations += list_violations(name, {"it is no web site of its own": "WebsiteConfiguration" not in properties})
    return violations


def check_errors(template: Template) -> list[str]:
    """Errors are passed on as they are and never cached."""
    errors = _distribution(template).get("CustomErrorResponses", [])
    uncached = {error["ErrorCode"] for error in errors if error.get("ErrorCachingMinTTL") == 0}
    expectations = {
        "no error is answered with a page": not any(
            {"ResponsePagePath", "ResponseCode"} & error.keys() for error in errors
        ),
        f"no error is cached, but {sorted(CACHED_ERRORS - uncached)} are": uncached >= CACHED_ERRORS,
    }
    return list_violations(DISTRIBUTION, expectations)


def check_headers(template: Template) -> list[str]:
    """Every behaviour sends its headers; pages may also connect to the uploads."""
    uploads = f"https://{template.resources['ResultsBucket'].name}.s3.us-east-1.amazonaws.com"
    pages = {name: value.replace("UPLOADS", uploads) for name, value in PAGE_HEADERS.items()}
    data = dict.fromkeys((ROWS, BOARDS, "/data/*", KIT), DATA_HEADERS)
    expected = dict.fromkeys((DEFAULT, API_PAGE, *SERVED), pages) | data | {EMBED: EMBED_HEADERS}
    expected |= dict.fromkeys(("/api/*", SUBMIT), API_HEADERS)
    sent = read_headers(template).patterns
    return [
        f"{path}: {name} is {sent.get(path, {}).get(name)!r}, expected {expected.get(path, {}).get(name)!r}"
        for path in sorted(expected.keys() | sent.keys())
        for name in sorted(expected.get(path, {}).keys() | sent.get(path, {}).keys())
        if sent.get(path, {}).get(name) != expected.get(path, {}).get(name)
    ]


def check_api(template: Template) -> list[str]:
    """The API gets requests unchanged except Host, over TLS, with the secret; also those for boards without a file."""
    behaviour, origin = _behaviours(template).get("/api/*", {}), _origins(template)["api"]
    today, groups = _origins(template)["today"], _distribution(template)["OriginGroups"]["Items"]
    (api,) = (key for key, resource in template.resources.items() if resource.type == "AWS::ApiGatewayV2::Api")
    host = f"{template.resources[api].ref}.execute-api.us-east-1.amazonaws.com"
    functions = template.resources_of("AWS::Lambda::Function")
    asked = {functions[route.function]["Environment"]["Variables"]["ORIGIN_SECRET"] for route in template.routes()}
    secret, parameter = *asked, template.document["Parameters"]["OriginSecret"]
    expectations = {
        f"behaviours are {PATHS}": list(_behaviours(template)) == PATHS,
        "it leads to the HTTP API": (behaviour.get("TargetOriginId"), origin["DomainName"]) == ("api", host),
        "/submit is another address of it": {**_behaviours(template)[SUBMIT], "PathPattern": "/api/*"} == behaviour,
        "nothing is cached": behaviour.get("CachePolicyId") == CACHING_DISABLED,
        "all but Host is passed": behaviour.get("OriginRequestPolicyId") == ALL_VIEWER_EXCEPT_HOST_HEADER,
        "every method is passed": set(behaviour.get("AllowedMethods", [])) == ALL_METHODS,
        "a token never comes in plain text": behaviour.get("ViewerProtocolPolicy") == "https-only",
        "the connection to the API is TLS 1.2": origin.get("CustomOriginConfig")
        == {"OriginProtocolPolicy": "https-only", "OriginSSLProtocols": ["TLSv1.2"]},
        "the API gets a secret": origin.get("OriginCustomHeaders")
        == [{"HeaderName": "x-origin-secret", "HeaderValue": secret}],
        "the origin of today's boards is the API, below /api": today == {**origin, "Id": "today", "OriginPath": "/api"},
        "it is asked where the bucket has no file": [
            (
                group["Id"],
                group["FailoverCriteria"]["StatusCodes"]["Items"],
                [member["OriginId"] for member in group["Members"]["Items"]],
            )
            for group in groups
        ]
        == [("boards", [404], ["site", "today"])],
        "the secret is long, not shown, and never a default": parameter.get("NoEcho") is True
        and parameter.get("MinLength", 0) >= 32
        and "Default" not in parameter,
    }
    return list_violations("/api/*", expectations)


def check_caching(template: Template) -> list[str]:
    """Site and snapshots are cached as each object says, and compressed."""
    violations = []
    policies = _cache_policies(template)
    for path in (DEFAULT, API_PAGE, BOARDS, "/data/*", KIT, EMBED, *SERVED):
        origin = "boards" if path in {BOARDS, *SERVED} else "site"
        behaviour = _behaviours(template).get(path, {})
        policy = policies.get(behaviour.get("CachePolicyId", ""), {})
        keyed = policy.get("ParametersInCacheKeyAndForwardedToOrigin", {})
        for_pages = path in {BOARDS, "/data/*", KIT}
        expectations = {
            "it leads to the bucket": behaviour.get("TargetOriginId") == origin,
            "it only reads": behaviour.get("AllowedMethods") == ["GET", "HEAD", *(["OPTIONS"] if for_pages else [])],
            "the bucket is asked what pages may send": (behaviour.get("OriginRequestPolicyId") == CORS_S3_ORIGIN)
            is for_pages,
            "the object decides how long": (policy.get("MinTTL"), policy.get("DefaultTTL")) == (0, 0),
            "no query string or cookie makes another copy, and no header that the visitor decides": (
                keyed.get("QueryStringsConfig"),
                keyed.get("CookiesConfig"),
                keyed.get("HeadersConfig"),
            )
            == ({"QueryStringBehavior": "none"}, {"CookieBehavior": "none"}, HOST if path in SERVED else NO_HEADER),
            "it is compressed": behaviour.get("Compress") is True
            and keyed.get("EnableAcceptEncodingGzip") is keyed.get("EnableAcceptEncodingBrotli") is True,
        }
        violations += list_violations(path, expectations)
    cors = template.resources["SiteBucket"].properties.get("CorsConfiguration", {}).get("CorsRules", [])
    allowed = [[rule[f"Allowed{name}"] for name in ("Origins", "Methods", "Headers")] for rule in cors]
    expectations = {"pages of any origin may read, with any header": allowed == [[["*"], ["GET", "HEAD"], ["*"]]]}
    return violations + list_violations("SiteBucket", expectations)


def check_rows(template: Template) -> list[str]:
    """Rows are cached as the answer says, one copy a query string, whatever else a request has."""
    behaviour, policies = _behaviours(template).get(ROWS, {}), _cache_policies(template)
    policy = policies.get(behaviour.get("CachePolicyId", ""), {})
    keyed = policy.get("ParametersInCacheKeyAndForwardedToOrigin", {})
    expectations = {
        "it leads to the HTTP API": behaviour.get("TargetOriginId") == "api",
        "all but Host is passed": behaviour.get("OriginRequestPolicyId") == ALL_VIEWER_EXCEPT_HOST_HEADER,
        "it only reads": behaviour.get("AllowedMethods") == ["GET", "HEAD", "OPTIONS"],
        "a token never comes in plain text": behaviour.get("ViewerProtocolPolicy") == "https-only",
        "the answer decides how long": (policy.get("MinTTL"), policy.get("DefaultTTL")) == (0, 0),
        "only another query string makes another copy": (
            keyed.get("QueryStringsConfig"),
            keyed.get("CookiesConfig"),
            keyed.get("HeadersConfig"),
        )
        == ({"QueryStringBehavior": "all"}, {"CookieBehavior": "none"}, {"HeaderBehavior": "none"}),
        "it is compressed": behaviour.get("Compress") is True
        and keyed.get("EnableAcceptEncodingGzip") is keyed.get("EnableAcceptEncodingBrotli") is True,
    }
    return list_violations(ROWS, expectations)


def check_viewer(template: Template) -> list[str]:
    """The viewer function sees every request except those for snapshots and scripts."""
    function = template.resources["ViewerFunction"]
    expected = [{"EventType": "viewer-request", "FunctionARN": function.ref}]
    violations = list_violations("ViewerFunction", {"it is published": function.properties.get("AutoPublish") is True})
    for path in (DEFAULT, API_PAGE, ROWS, "/api/*", SUBMIT, EMBED, *SERVED):
        attached = _behaviours(template).get(path, {}).get("FunctionAssociations")
        violations += list_violations(path, {"ViewerFunction sees each request": attached == expected})
    return violations


def check_protocols(template: Template) -> list[str]:
    """Nothing is served without TLS; with its own domain the site requires TLS 1.2."""
    distribution = _distribution(template)
    certificate = distribution.get("ViewerCertificate", {})
    expectations = {
        "TLS 1.2 is the least, where that can be set": certificate == {"CloudFrontDefaultCertificate": True}
        or certificate.get("MinimumProtocolVersion") == "TLSv1.2_2021",
        "HTTP/2 and HTTP/3 are spoken": distribution.get("HttpVersion") == "http2and3",
        "IPv6 is spoken": distribution.get("IPV6Enabled") is True,
    }
    violations = list_violations(DISTRIBUTION, expectations)
    for path, behaviour in _behaviours(template).items():
        policy = behaviour.get("ViewerProtocolPolicy")
        violations += list_violations(
            path, {"it is served over TLS alone": policy in {"redirect-to-https", "https-only"}}
        )
    return violations


def _distribution(template: Template) -> Properties:
    properties: Properties = template.resources[DISTRIBUTION].properties["DistributionConfig"]
    return properties


def _cache_policies(template: Template) -> dict[str, Properties]:
    return {
        template.resources[name].ref: properties["CachePolicyConfig"]
        for name, properties in template.resources_of("AWS::CloudFront::CachePolicy").items()
    }


def _origins(template: Template) -> dict[str, Properties]:
    return {origin["Id"]: origin for origin in _distribution(template)["Origins"]}


def _behaviours(template: Template) -> dict[str, Properties]:
    distribution = _distribution(template)
    others = {behaviour["PathPattern"]: behaviour for behaviour in listed(distribution.get("CacheBehaviors"))}
    return {DEFAULT: distribution["DefaultCacheBehavior"], **others}
