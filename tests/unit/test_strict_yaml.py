"""YAML that is refused: what would be lost, multiplied or endless."""

import pytest

from scoring_core.errors import BenchmarkError
from scoring_core.strict_yaml import read_yaml


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id: a\ntitle: b\nid: c\n", "f.yaml, line 3, column 1: the key 'id' is there twice"),
        (b"ranking:\n  by: [A]\n  by: [B]\n", "f.yaml, line 3, column 3: the key 'by' is there twice"),
        (b"headers: [{name: A, name: B}]", "f.yaml, line 1, column 21: the key 'name' is there twice"),
        (b"1: a\n1: b\n", "f.yaml, line 2, column 1: the key 1 is there twice"),
        (b"a: &x [1]\nb: *x\n", "f.yaml, line 2, column 4: aliases (*name) are not read here"),
        (b"a: [1\n", "f.yaml, line 2, column 1: "),
        (b"a: b: c", "f.yaml, line 1, column 5: "),
        (b"a: !!python/object:os.system x", "f.yaml, line 1, column 4: "),
        (b"? [a]\n: b\n", "f.yaml, line 1, column 3: "),
        (b"a: 1\n---\nb: 2\n", "f.yaml, line 2, column 1: "),
        (b"a: 2026-02-31T00:00:00Z", "f.yaml: day"),
        (b"a: \xff", "f.yaml: "),
        (b"a: \x00", "f.yaml: "),
        (b"[" * 5000, "f.yaml: nested too deeply"),
    ],
)
def test_refused(content: bytes, message: str) -> None:
    """The message names the file, and the place where there is one."""
    with pytest.raises(BenchmarkError) as caught:
        read_yaml(content, "f.yaml")

    assert caught.value.message.startswith(message)


def test_same_key_in_two_mappings() -> None:
    """A key may be there again in another mapping."""
    assert read_yaml(b"[{a: 1}, {a: 2}]", "f.yaml") == [{"a": 1}, {"a": 2}]
