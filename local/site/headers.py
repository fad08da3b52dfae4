"""The response headers that the template declares for CloudFront; the local server sends the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from local.intrinsics import REGION
from local.template import Properties, Template

DEFAULT = "*"
"""The pattern of all other paths."""
ALLOW_ORIGIN = "Access-Control-Allow-Origin"


@dataclass(frozen=True)
class SiteHeaders:
    """Headers by path.

    Args:
        patterns: Path pattern → headers; the first match wins, and `*` comes last.
    """

    patterns: Mapping[str, Mapping[str, str]]

    def find(self, path: str) -> Mapping[str, str]:
        """Return the headers of every answer for a path."""
        return next(headers for pattern, headers in self.patterns.items() if fnmatchcase(path, pattern))


def read_headers(template: Template) -> SiteHeaders:
    """Return the headers in the cloud, by the path patterns of the distribution."""
    (distribution,) = template.resources_of("AWS::CloudFront::Distribution").values()
    config = distribution["DistributionConfig"]
    declared = {behaviour["PathPattern"]: behaviour for behaviour in config.get("CacheBehaviors", [])}
    behaviours = {**declared, DEFAULT: config["DefaultCacheBehavior"]}
    return SiteHeaders({pattern: _find_policy(template, behaviour) for pattern, behaviour in behaviours.items()})


def read_local_headers(template: Template) -> SiteHeaders:
    """Return the headers on one machine, where pages send files to the site."""
    bucket = f" https://{template.resources['ResultsBucket'].name}.s3.{REGION}.amazonaws.com"
    patterns = read_headers(template).patterns
    return SiteHeaders(
        {
            pattern: {name: value.replace(bucket, "") for name, value in headers.items()}
            for pattern, headers in patterns.items()
        }
    )


def _find_policy(template: Template, behaviour: Properties) -> dict[str, str]:
    for name, properties in template.resources_of("AWS::CloudFront::ResponseHeadersPolicy").items():
        if template.resources[name].ref == behaviour.get("ResponseHeadersPolicyId"):
            return _read_policy(properties["ResponseHeadersPolicyConfig"])
    return {}


def _read_policy(policy: Mapping[str, Any]) -> dict[str, str]:
    headers = {item["Header"]: item["Value"] for item in policy.get("CustomHeadersConfig", {}).get("Items", [])}
    for kind, setting in policy.get("SecurityHeadersConfig", {}).items():
        match kind:
            case "ContentSecurityPolicy":
                headers["Content-Security-Policy"] = setting["ContentSecurityPolicy"]
            case "ContentTypeOptions":
                headers["X-Content-Type-Options"] = "nosniff"
            case "ReferrerPolicy":
                headers["Referrer-Policy"] = setting["ReferrerPolicy"]
            case "StrictTransportSecurity":
                below = "; includeSubDomains" if setting.get("IncludeSubdomains") else ""
                headers["Strict-Transport-Security"] = f"max-age={setting['AccessControlMaxAgeSec']}{below}"
            case other:
                headers[other] = str(setting)
    if "CorsConfig" in policy:
        headers[ALLOW_ORIGIN] = ",".join(policy["CorsConfig"]["AccessControlAllowOrigins"]["Items"])
    return headers
