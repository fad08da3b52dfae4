"""The docs are under test: what can be set is documented, and what is typed exists."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel
from rich.console import Console

from local.__main__ import KEPT, _print_welcome
from local.template import translate
from scoring_core.benchmarks.definition import Definition, Ranking, SubmissionRules
from scoring_core.metrics.score_type import MetricType
from scoring_core.scorers import SCORERS

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = (ROOT / "docs" / "benchmarks.md").read_text()
README = (ROOT / "README.md").read_text()
MODELS: list[type[BaseModel]] = [Definition, Ranking, MetricType, *(kind.parameters for kind in SCORERS.values())]


@pytest.mark.parametrize(("model", "key"), [(model, key) for model in MODELS for key in model.model_fields])
def test_every_key_of_a_benchmark_is_documented(model: type[BaseModel], key: str) -> None:
    """An owner finds every key in the handbook."""
    assert re.search(rf"\b{key}\b", HANDBOOK), f"{model.__name__}.{key} is not in docs/benchmarks.md"


@pytest.mark.parametrize("key", ["anonymous", "bundle", "max_bytes"])
def test_every_rule_that_is_applied_is_documented(key: str) -> None:
    """The rules of submissions that the platform applies are in the handbook."""
    assert key in SubmissionRules.model_fields
    assert f"submissions.{key}" in HANDBOOK


@pytest.mark.parametrize("name", ["SenderAddress", "AdminAddress", "SiteUrl", "GatherSeconds", "FlushSchedule"])
def test_every_parameter_of_mail_is_documented(name: str) -> None:
    """What an operator sets for mail is a parameter of the template and stands in docs/mail.md."""
    assert f"\n  {name}:\n    Type:" in (ROOT / "template.yaml").read_text()
    assert f"| `{name}` |" in (ROOT / "docs" / "mail.md").read_text()


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_every_scorer_is_documented_and_shipped(name: str) -> None:
    """Each scorer stands in README and handbook, and has a benchmark that tests it."""
    shipped = [path.read_text() for path in ROOT.glob("benchmarks/*/benchmark.yaml")]

    assert f"`{name}`" in README
    assert f"`{name}`" in HANDBOOK
    assert any(f"scorer: {name}\n" in text for text in shipped)


def test_every_make_target_of_the_readme_exists() -> None:
    """What the README types can be typed."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))

    assert set(re.findall(r"make ([a-z]+)\b(?= |`|$)", README)) & targets
    assert {"run", "test", "check", "bench", "build"} <= targets


def test_commands_need_no_network() -> None:
    """`uv run` would install the tools of development first: who only uses Laurel is never told to type it."""
    told = (README.partition("## Development")[0], *(page.read_text() for page in ROOT.glob("docs/*.md")))

    assert not [
        line for text in told for line in re.findall(r".*uv run (?:--\S+ )*(?:laurel|python -m scoring_core).*", text)
    ]
    assert "uv run laurel" not in (ROOT / "local" / "__main__.py").read_text()


def test_a_stage_is_deployed_in_one_way() -> None:
    """Parameters are given to `make deploy`, which keeps the others; `sam deploy` alone would set them back."""
    told = "".join(page.read_text() for page in ROOT.glob("docs/*.md"))

    assert "sam deploy --parameter-overrides" not in told
    assert "make deploy STAGE=prod PARAMETERS=" in told


def test_every_link_of_the_docs_leads_somewhere() -> None:
    """No page names a file that is not there."""
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_alarm_is_documented() -> None:
    """Whoever is mailed an alarm finds what to do under its name."""
    template = translate(ROOT / "template.yaml", {"AdminAddress": "admin@example.org"})
    alarms = template.resources_of("AWS::CloudWatch::Alarm")

    guide = (ROOT / "docs" / "operations.md").read_text()

    assert len(alarms) > 25
    assert [name for name in alarms if f"`{name}`" not in guide] == []


def test_every_test_that_security_rests_on_exists() -> None:
    """Each test and each rule that the threat model names is there under that name."""
    named = set(re.findall(r"`((?:test|check)_\w+)`", (ROOT / "docs" / "security.md").read_text()))
    defined = {
        name
        for pattern in ("test_*.py", "rules_*.py")
        for path in (ROOT / "tests").rglob(pattern)
        for name in re.findall(r"^def ((?:test|check)_\w+)", path.read_text(), re.MULTILINE)
    }

    assert len(named) > 50
    assert named <= defined, sorted(named - defined)


@pytest.mark.parametrize("page", ["README.md", "docs/games.md", "docs/operations.md"])
def test_pages_say_that_the_local_stack_keeps_nothing(page: str) -> None:
    """Whoever runs a class on one machine, or reads what a 202 promises, knows what ends with the stack."""
    words = " ".join((ROOT / page).read_text().replace("*", "").split())

    assert KEPT in words


def test_start_of_the_local_stack_says_that_it_keeps_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """It stands where everybody looks for the address."""
    _print_welcome("http://localhost:8000", Console(width=200))

    assert KEPT in capsys.readouterr().out
