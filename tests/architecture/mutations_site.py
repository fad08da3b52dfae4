"""Mutations of the site in the template, and the violation that each must cause."""

from typing import Final

from tests.architecture.rules_site import (
    check_api,
    check_caching,
    check_errors,
    check_headers,
    check_protocols,
    check_rows,
    check_site_bucket,
    check_viewer,
)
from tests.architecture.template_mutations import REMOVED, Mutation

_SITE: Final = ("SiteDistribution", "Properties", "DistributionConfig")
_DEFAULT: Final = (*_SITE, "DefaultCacheBehavior")
_DOCS: Final = (*_SITE, "CacheBehaviors", 0)
_ROWS: Final = (*_SITE, "CacheBehaviors", 1)
_API: Final = (*_SITE, "CacheBehaviors", 2)
_BOARDS: Final = (*_SITE, "CacheBehaviors", 3)
_DATA: Final = (*_SITE, "CacheBehaviors", 4)
_KIT: Final = (*_SITE, "CacheBehaviors", 5)
_EMBED: Final = (*_SITE, "CacheBehaviors", 6)
_SUBMIT: Final = (*_SITE, "CacheBehaviors", 7)
_GROUP: Final = (*_SITE, "OriginGroups", "Items", 0)
_READING: Final = ("SiteBucketPolicy", "Properties", "PolicyDocument", "Statement", 1)
_SIGNING: Final = ("SiteAccess", "Properties", "OriginAccessControlConfig", "SigningBehavior")
_CACHING: Final = ("SiteCaching", "Properties", "CachePolicyConfig")
_ROWS_CACHING: Final = ("RowsCaching", "Properties", "CachePolicyConfig")
_ROWS_KEYED: Final = (*_ROWS_CACHING, "ParametersInCacheKeyAndForwardedToOrigin")
_PAGES: Final = ("PageHeaders", "Properties", "ResponseHeadersPolicyConfig")
_API_HEADERS: Final = ("ApiHeaders", "Properties", "ResponseHeadersPolicyConfig", "SecurityHeadersConfig")
_DATA_HEADERS: Final = ("DataHeaders", "Properties", "ResponseHeadersPolicyConfig")
_EVERYBODY: Final = {
    "Type": "AWS::S3::BucketPolicy",
    "Properties": {
        "Bucket": {"Ref": "ResultsBucket"},
        "PolicyDocument": {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}]},
    },
}
_TO_THE_PAGE: Final = {"ErrorCode": 404, "ResponseCode": 200, "ResponsePagePath": "/index.html"}
_OLD_TLS: Final = {"AcmCertificateArn": "arn", "MinimumProtocolVersion": "TLSv1.1_2016", "SslSupportMethod": "sni-only"}

SITE_MUTATIONS: Final[list[Mutation]] = [
    (check_site_bucket, (*_READING, "Condition"), REMOVED, "the one permission"),
    (check_site_bucket, (*_READING, "Principal"), "*", "the one permission"),
    (check_site_bucket, (*_READING, "Action"), "s3:GetObject", "the one permission"),
    (check_site_bucket, ("Everybody",), _EVERYBODY, "the one permission"),
    (check_site_bucket, (*_SITE, "Origins", 0, "OriginAccessControlId"), REMOVED, "is signed"),
    (check_site_bucket, _SIGNING, "no-override", "is signed"),
    (
        check_site_bucket,
        (*_SITE, "Origins", 0, "S3OriginConfig", "OriginAccessIdentity"),
        "origin-access-identity/cloudfront/E1",
        "older access identity",
    ),
    (check_site_bucket, (*_SITE, "Origins", 0, "DomainName"), "site.s3-website.amazonaws.com", "the bucket itself"),
    (
        check_site_bucket,
        ("SiteBucket", "Properties", "WebsiteConfiguration"),
        {"IndexDocument": "index.html"},
        "SiteBucket: expected that it is no web site",
    ),
    (check_errors, (*_SITE, "CustomErrorResponses", 2), _TO_THE_PAGE, "answered with a page"),
    (check_errors, (*_SITE, "CustomErrorResponses", 2, "ErrorCachingMinTTL"), 10, "[404] are"),
    *[
        (check_headers, (*behaviour, "ResponseHeadersPolicyId"), REMOVED, f"{path}: Content-Security-Policy is None")
        for path, behaviour in {"*": _DEFAULT, "/api/docs": _DOCS, "/api/*": _API, "/data/*": _DATA}.items()
    ],
    (
        check_headers,
        (*_PAGES, "SecurityHeadersConfig", "ContentSecurityPolicy", "ContentSecurityPolicy"),
        "default-src *",
        "*: Content-Security-Policy is 'default-src *'",
    ),
    (check_headers, (*_PAGES, "SecurityHeadersConfig", "ContentTypeOptions"), REMOVED, "X-Content-Type-Options"),
    (check_headers, (*_PAGES, "SecurityHeadersConfig", "ReferrerPolicy", "ReferrerPolicy"), "origin", "is 'origin'"),
    (check_headers, (*_PAGES, "CustomHeadersConfig", "Items", 0), REMOVED, "Cross-Origin-Opener-Policy is None"),
    (check_headers, (*_PAGES, "CustomHeadersConfig", "Items", 1), REMOVED, "Permissions-Policy is None"),
    (check_headers, (*_DEFAULT, "ResponseHeadersPolicyId"), {"Ref": "EmbedHeaders"}, "*: Cross-Origin-Opener-Policy"),
    (check_headers, (*_EMBED, "ResponseHeadersPolicyId"), {"Ref": "PageHeaders"}, "/embed/*: Content-Security-Policy"),
    (check_headers, (*_KIT, "ResponseHeadersPolicyId"), {"Ref": "PageHeaders"}, "/sdk/*: Access-Control-Allow-Origin"),
    (check_headers, (*_API_HEADERS, "StrictTransportSecurity", "AccessControlMaxAgeSec"), 60, "is 'max-age=60"),
    (check_headers, (*_DATA_HEADERS, "CorsConfig"), REMOVED, "/data/*: Access-Control-Allow-Origin is None"),
    (check_headers, (*_DATA_HEADERS, "SecurityHeadersConfig", "FrameOptions"), {}, "/data/*: FrameOptions is '{}'"),
    (check_api, (*_API, "CachePolicyId"), {"Ref": "SiteCaching"}, "nothing is cached"),
    (check_api, (*_API, "OriginRequestPolicyId"), "216adef6-5c7f-47e4-b989-5492eafa07d3", "all but Host is passed"),
    (check_api, (*_API, "AllowedMethods"), ["GET", "HEAD"], "every method is passed"),
    (check_api, (*_API, "ViewerProtocolPolicy"), "redirect-to-https", "in plain text"),
    (check_api, (*_API, "TargetOriginId"), "site", "leads to the HTTP API"),
    (check_api, (*_DOCS, "PathPattern"), "/docs", "behaviours are"),
    (check_api, (*_SUBMIT, "AllowedMethods"), ["GET", "HEAD"], "/submit is another address of it"),
    (check_api, (*_SITE, "Origins", 1, "CustomOriginConfig", "OriginProtocolPolicy"), "match-viewer", "TLS 1.2"),
    (check_api, (*_SITE, "Origins", 1, "OriginCustomHeaders"), REMOVED, "gets a secret"),
    (check_api, (*_SITE, "Origins", 2, "OriginPath"), "/data", "below /api"),
    (check_api, (*_SITE, "Origins", 2, "OriginCustomHeaders"), REMOVED, "below /api"),
    (check_api, (*_GROUP, "FailoverCriteria", "StatusCodes", "Items"), [403], "the bucket has no file"),
    (check_api, (*_GROUP, "Members", "Items", 1, "OriginId"), "api", "the bucket has no file"),
    (check_caching, (*_BOARDS, "TargetOriginId"), "site", "/data/b/*/boards/*: expected that it leads to the bucket"),
    (check_caching, (*_CACHING, "DefaultTTL"), 86400, "/data/*: expected that the object decides"),
    (check_headers, (*_ROWS, "ResponseHeadersPolicyId"), {"Ref": "ApiHeaders"}, "Access-Control-Allow-Origin is None"),
    (check_rows, (*_ROWS, "CachePolicyId"), {"Ref": "SiteCaching"}, "only another query string"),
    (check_rows, (*_ROWS_KEYED, "HeadersConfig", "HeaderBehavior"), "whitelist", "only another query string"),
    (check_viewer, (*_ROWS, "FunctionAssociations"), REMOVED, "rows*: expected that ViewerFunction"),
    (check_viewer, (*_EMBED, "FunctionAssociations"), REMOVED, "/embed/*: expected that ViewerFunction"),
    (check_protocols, (*_DATA, "ViewerProtocolPolicy"), "allow-all", "/data/*: expected that it is served over TLS"),
    (check_protocols, (*_SITE, "ViewerCertificate"), _OLD_TLS, "TLS 1.2 is the least"),
    (check_protocols, (*_SITE, "HttpVersion"), "http2", "HTTP/3"),
    (check_protocols, (*_SITE, "IPV6Enabled"), False, "IPv6"),
]
