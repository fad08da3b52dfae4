"""What a release is made from: a version with a number, and its changes."""

import re

from scripts.frontend.build_wheel import read_version
from scripts.tools import ROOT


def test_changelog_begins_with_the_version_of_the_package() -> None:
    """This commit could be released."""
    first = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert first is not None
    assert first[1] == read_version()
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", first[1])
