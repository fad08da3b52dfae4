"""The audit of dependencies passes only where every package was asked about."""

import json

from scripts.checks.audit import judge_node, judge_python


def test_report_without_vulnerabilities_passes() -> None:
    """Packages that the service knows and has nothing against cause no line."""
    assert judge_python(json.dumps({"dependencies": [{"name": "one", "version": "1.0", "vulns": []}]}), "failed") == []
    assert judge_node(json.dumps({"vulnerabilities": {}}), "failed") == []


def test_vulnerability_is_reported_with_its_fix() -> None:
    """Each line names the version that fixes it, or says that there is none."""
    vulns = [{"id": "PYSEC-1", "fix_versions": ["1.1"]}, {"id": "PYSEC-2", "fix_versions": []}]
    python = {"dependencies": [{"name": "one", "version": "1.0", "vulns": vulns}]}
    node = {"vulnerabilities": {"vite": {"severity": "high", "range": "<8"}}}

    assert judge_python(json.dumps(python), "failed") == [
        "one 1.0: PYSEC-1, fixed in 1.1",
        "one 1.0: PYSEC-2, fixed in no version yet",
    ]
    assert judge_node(json.dumps(node), "failed") == ["vite: high, in <8"]


def test_audit_fails_if_a_service_does_not_answer() -> None:
    """A service that is unreachable, rejects the request, or does not know a package is reported."""
    skipped = {
        "dependencies": [{"name": "one", "skip_reason": "not found"}, {"name": "two", "version": "2", "vulns": []}]
    }

    assert judge_python("", "failed") == ["failed"]
    assert judge_python(json.dumps(skipped), "failed") == [
        "1 of 2 packages are unknown to the service, such as: not found"
    ]
    assert judge_node("", "failed") == ["failed"]
    assert judge_node(json.dumps({"message": "405"}), "failed") == ["failed 405"]
