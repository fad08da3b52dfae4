"""What a release is made from: a version with a number, and its changes."""

import re

import pytest

from scripts.frontend.build_wheel import read_version
from scripts.release import CHANGELOG, NotReady, read_changes


def test_changes_are_those_of_the_version() -> None:
    """Nothing of the version before is among them."""
    changelog = "# Changelog\n\n## 1.2.0\n\n- New.\n\n## 1.1.0\n\n- Old.\n"

    assert read_changes("1.2.0", changelog) == "- New."


@pytest.mark.parametrize(
    ("version", "changelog", "expected"),
    [
        ("1.2.0", "# Changelog\n\n## Unreleased\n\n- New.\n", "found 'Unreleased'"),
        ("1.2.0", "# Changelog\n\n## 1.1.0\n\n- Old.\n", "found '1.1.0'"),
        ("1.2.0", "# Changelog\n", "found ''"),
        ("1.2.dev0", "# Changelog\n\n## 1.2.dev0\n", "expected a version such as 1.2.3"),
    ],
)
def test_nothing_is_released_without_a_number(version: str, changelog: str, expected: str) -> None:
    """A release without a section of its own in the changelog is refused."""
    with pytest.raises(NotReady, match=re.escape(expected)):
        read_changes(version, changelog)


def test_changelog_begins_with_the_version_of_the_package() -> None:
    """This commit could be released."""
    assert read_changes(read_version(), CHANGELOG.read_text(encoding="utf-8"))
