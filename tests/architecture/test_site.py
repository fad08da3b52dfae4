"""The site under its own domain, and the outputs of the stack about it."""

from typing import Final

import pytest

from local.template import Template, load_template
from tests.architecture import rules_site
from tests.architecture.template_rules import RULES, Rule

CERTIFICATE: Final = "arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012"
SITE_RULES: Final = [rule for rule in RULES.values() if rule.__module__ == rules_site.__name__]


@pytest.fixture(scope="module")
def own_domain() -> Template:
    """Return the template as it is deployed for its own domain."""
    return load_template({"SiteDomain": "laurel.example.com", "SiteCertificateArn": CERTIFICATE})


@pytest.mark.parametrize("rule", SITE_RULES, ids=lambda rule: rule.__name__)
def test_site_with_its_own_domain_keeps_the_rules(own_domain: Template, rule: Rule) -> None:
    """The rules of the site hold on any domain."""
    assert rule(own_domain) == []


def test_site_with_its_own_domain_has_its_certificate(own_domain: Template) -> None:
    """The domain is an alias with its certificate, by SNI and with TLS 1.2 or newer."""
    properties = own_domain.resources["SiteDistribution"].properties["DistributionConfig"]

    assert properties["Aliases"] == ["laurel.example.com"]
    assert properties["ViewerCertificate"] == {
        "AcmCertificateArn": CERTIFICATE,
        "MinimumProtocolVersion": "TLSv1.2_2021",
        "SslSupportMethod": "sni-only",
    }


def test_outputs_name_the_address_of_the_site(own_domain: Template) -> None:
    """The address is on the site's own domain or on CloudFront's."""
    default = load_template({})

    assert own_domain.outputs["SiteUrl"] == "https://laurel.example.com"
    assert default.outputs["SiteUrl"] == "https://laurel-local-sitedistribution.cloudfront.net"
    assert default.outputs["DistributionId"] == default.resources["SiteDistribution"].ref
