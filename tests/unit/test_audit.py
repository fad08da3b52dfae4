"""The audit of dependencies passes only where every package was asked about."""

import json

from scripts.checks.audit import judge_node, judge_python


def test_a_clean_report_passes() -> None:
    """Packages that were asked about and have nothing against them are no complaint."""
    assert judge_python(json.dumps({"dependencies": [{"name": "one", "version": "1.0", "vulns": []}]}), "failed") == []
    assert judge_node(json.dumps({"vulnerabilities": {}}), "failed") == []


def test_a_vulnerability_is_told() -> None:
    """Each is told with the version that mends it, or that there is none."""
    vulns = [{"id": "PYSEC-1", "fix_versions": ["1.1"]}, {"id": "PYSEC-2", "fix_versions": []}]
    python = {"dependencies": [{"name": "one", "version": "1.0", "vulns": vulns}]}
    node = {"vulnerabilities": {"vite": {"severity": "high", "range": "<8"}}}

    assert judge_python(json.dumps(python), "failed") == [
        "one 1.0: PYSEC-1, mended in 1.1",
        "one 1.0: PYSEC-2, mended in no version yet",
    ]
    assert judge_node(json.dumps(node), "failed") == ["vite: high, in <8"]


def test_what_was_not_learned_is_no_clean_bill() -> None:
    """A service that is out of reach, refuses, or knows nothing of a package is told."""
    skipped = {
        "dependencies": [{"name": "one", "skip_reason": "not found"}, {"name": "two", "version": "2", "vulns": []}]
    }

    assert judge_python("", "failed") == ["failed"]
    assert judge_python(json.dumps(skipped), "failed") == ["of 1 of 2 packages nothing was learned, such as: not found"]
    assert judge_node("", "failed") == ["failed"]
    assert judge_node(json.dumps({"message": "405"}), "failed") == ["failed 405"]
