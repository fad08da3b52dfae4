"""A linter of the template fails by its exit code, or by saying that it could not read the file."""

import sys

import pytest

from scripts.checks.check_template import run_program


@pytest.mark.parametrize(
    ("program", "passed"),
    [
        ("print('Passed checks: 160, Failed checks: 0')", True),
        ("print('Parsing errors: 1')", False),
        ("import sys; sys.stderr.write('YAML error parsing template.yaml: Duplicate resource found')", False),
        ("raise SystemExit(1)", False),
    ],
)
def test_unread_template_does_not_pass(program: str, *, passed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Checkov exits with 0 where it could not parse the template."""
    command = [sys.executable, "-c", program, "--project", "environment", "linter"]

    assert run_program(command) is passed
    assert capsys.readouterr().out.startswith(f"linter: {'passed' if passed else 'failed'}\n")
