"""The site's host under a domain of its own, and what the stack tells of it."""

from pathlib import Path
from typing import Final

import pytest

from local.template import Template, translate
from tests.architecture import rules_site
from tests.architecture.template_rules import RULES, Rule

TEMPLATE_PATH: Final = Path(__file__).parents[2] / "template.yaml"
CERTIFICATE: Final = "arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012"
SITE_RULES: Final = [rule for rule in RULES if rule.__module__ == rules_site.__name__]


@pytest.fixture(scope="module")
def own_domain() -> Template:
    """The template as it is deployed for a domain of its own."""
    return translate(TEMPLATE_PATH, {"SiteDomain": "laurel.example.com", "SiteCertificateArn": CERTIFICATE})


@pytest.mark.parametrize("rule", SITE_RULES, ids=lambda rule: rule.__name__)
def test_a_site_with_a_domain_of_its_own_keeps_the_rules(own_domain: Template, rule: Rule) -> None:
    """What holds on CloudFront's own domain holds on another."""
    assert rule(own_domain) == []


def test_a_site_with_a_domain_of_its_own_has_its_certificate(own_domain: Template) -> None:
    """The domain is an alias, under its certificate, by SNI and from TLS 1.2 on."""
    properties = own_domain.resources["SiteDistribution"].properties["DistributionConfig"]

    assert properties["Aliases"] == ["laurel.example.com"]
    assert properties["ViewerCertificate"] == {
        "AcmCertificateArn": CERTIFICATE,
        "MinimumProtocolVersion": "TLSv1.2_2021",
        "SslSupportMethod": "sni-only",
    }


def test_the_stack_tells_where_its_site_is(own_domain: Template) -> None:
    """The output is an address to open, on the site's own domain or on CloudFront's."""
    default = translate(TEMPLATE_PATH, {})

    assert own_domain.outputs["SiteUrl"] == "https://laurel.example.com"
    assert default.outputs["SiteUrl"] == "https://laurel-local-sitedistribution.cloudfront.net"
    assert default.outputs["DistributionId"] == default.resources["SiteDistribution"].ref
