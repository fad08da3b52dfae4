"""The docs match the code: every setting is documented, and every command and link exists."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from cli.main import load_command
from local.template import load_template
from scoring_core import __version__
from scoring_core.benchmarks.definition import Definition, Ranking, SubmissionRules
from scoring_core.benchmarks.terms import GUESTS_PER_ADDRESS, MAX_PER_DAY
from scoring_core.io import limits
from scoring_core.io.formats import FORMATS
from scoring_core.metrics.score_type import MetricType
from scoring_core.scorers import SCORERS, find_scorer
from scripts.frontend.build_wheel import read_version
from tests.rehearsal.rehearse import NOT_PROVEN

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = "".join((ROOT / "docs" / f"{name}.md").read_text() for name in ("benchmarks", "tables", "scripts"))
MAX_DECISION = 50
"""Lines of a decision: a page."""
MAX_NOUNS = 15
"""Of the way of one row: that many fit into one head."""
README = (ROOT / "README.md").read_text()
MODELS: list[type[BaseModel]] = [Definition, Ranking, MetricType, *(find_scorer(name).parameters for name in SCORERS)]


def test_benchmark_keys_are_documented() -> None:
    """docs/benchmarks.md names every key of benchmark.yaml."""
    keys = [(model.__name__, key) for model in MODELS for key in model.model_fields]

    assert [(model, key) for model, key in keys if not re.search(rf"\b{key}\b", HANDBOOK)] == []


@pytest.mark.parametrize("key", SubmissionRules.model_fields)
def test_submission_rule_is_documented(key: str) -> None:
    """The table of docs/benchmarks.md has every key of `submissions:` with its default."""
    default = SubmissionRules.model_fields[key].default
    shown = (
        str(default).lower()
        if default is None or isinstance(default, bool)
        else str(default).replace("('json',)", "[json]")
    )
    assert re.search(rf"^\| `submissions\.{key}` \| `?{re.escape(shown)}`? \|", HANDBOOK, flags=re.MULTILINE)


def test_formats_and_limits_are_documented() -> None:
    """The tables of docs/players.md have every format, its media type, and the limit of every way."""
    page = (ROOT / "docs" / "players.md").read_text().partition("## Formats and limits")[2].partition("\n## ")[0]

    names = [*FORMATS, *(each.media_type for each in FORMATS.values())]
    assert [name for name in names if f"`{name}`" not in page] == []
    sizes = [getattr(limits, name) for name in dir(limits) if name.startswith("MAX_") and name.endswith("_BYTES")]
    assert [size for size in sizes if f"{size:,} bytes" not in page] == []


def test_guest_quota_is_documented() -> None:
    """The pages for players and owners say how many quotas the guests at an address share."""
    assert f"{GUESTS_PER_ADDRESS} times `per_day`, at most {MAX_PER_DAY:,}" in (ROOT / "docs" / "games.md").read_text()
    assert f"address together have {GUESTS_PER_ADDRESS} times as many, up to {MAX_PER_DAY:,}" in HANDBOOK


@pytest.mark.parametrize("name", ["SenderAddress", "AdminAddress", "SiteUrl", "GatherSeconds", "FlushSchedule"])
def test_mail_parameter_is_documented(name: str) -> None:
    """A setting of mail is a parameter of the template and has a row in docs/mail.md."""
    assert f"\n  {name}:\n    Type:" in (ROOT / "template.yaml").read_text()
    assert f"| `{name}` |" in (ROOT / "docs" / "mail.md").read_text()


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_scorer_is_documented_and_shipped(name: str) -> None:
    """README and docs/benchmarks.md name each scorer, and a benchmark uses it."""
    shipped = [path.read_text() for path in ROOT.glob("benchmarks/*/benchmark.yaml")]

    assert f"`{name}`" in README
    assert f"`{name}`" in HANDBOOK
    assert any(f"scorer: {name}\n" in text for text in shipped)


def test_make_targets_of_the_readme_exist() -> None:
    """The Makefile has the targets that the README names."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))

    assert {"run", "test"} <= set(re.findall(r"(?:`|[$] )make ([a-z]+)", README)) <= targets


def test_site_names_the_wheel_that_is_built() -> None:
    """The submit page and the docs install the release of the package; the command says the same version."""
    name = f"/command/laurel-{read_version()}-py3-none-any.whl"

    assert read_version() == __version__
    assert f'WHEEL = "{name}"' in (ROOT / "frontend/src/submissions/submit/samples.ts").read_text()
    assert name in (ROOT / "docs" / "players.md").read_text()


def test_documented_commands_need_no_network() -> None:
    """Pages for users avoid `uv run`, which would install the tools of development first."""
    pages = (README.partition("## Development")[0], *(page.read_text() for page in ROOT.glob("docs/*.md")))

    assert not [
        line for text in pages for line in re.findall(r".*uv run (?:--\S+ )*(?:laurel|python -m scoring_core).*", text)
    ]
    assert "uv run laurel" not in (ROOT / "local" / "__main__.py").read_text()


def test_links_of_the_docs_exist() -> None:
    """Every page links to files that exist."""
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_decision_is_one_page() -> None:
    """What, why, and what else; a former page that it replaces has gone into it."""
    for page in sorted(ROOT.glob("docs/decisions/0*.md")):
        text = page.read_text()
        parts = re.findall(r"\*\*(Context|Decision|Consequences|Alternatives)\.", text)

        assert len(text.splitlines()) <= MAX_DECISION, f"{page.stem}: move tables and figures to a page of docs/"
        assert [part for part in ("Context", "Decision", "Alternatives") if part not in parts] == [], page.stem
        assert "replaced by" not in text.partition("**Context")[0], page.stem


def test_nouns_of_one_row_are_few() -> None:
    """CONTRIBUTING names each with the module that has it, and none twice."""
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("### The nouns of one row")[2].partition("\n## ")[0]
    nouns = dict(re.findall(r"^\| ([a-z ]+) \| `([^`]+)` \|", section, re.MULTILINE))

    assert len(re.findall("^[|] [a-z]", section, re.MULTILINE)) - 1 == len(nouns)
    assert 0 < len(nouns) <= MAX_NOUNS
    for noun, module in nouns.items():
        (path,) = [*ROOT.glob(f"functions/{module}"), *ROOT.glob(f"layers/*/{module}")]
        assert re.search(rf"\b{noun.rstrip('sy')}".replace(" ", "[ _]?"), path.read_text(), re.IGNORECASE), noun


def test_alarms_are_documented() -> None:
    """docs/operations.md says what to do about each alarm."""
    template = load_template({"AdminAddress": "admin@example.org"})
    alarms = [
        re.sub(r"^Sandbox.+Errors$", "Sandbox…Errors", name) for name in template.resources_of("AWS::CloudWatch::Alarm")
    ]

    guide = (ROOT / "docs" / "operations.md").read_text()

    assert len(alarms) > 25
    assert [name for name in alarms if f"`{name}`" not in guide] == []


def test_tests_of_the_threat_model_exist() -> None:
    """What is said of security names tests and rules that exist, and each hostile input names its own or a reason."""
    corpus = (ROOT / "tests" / "corpus" / "inputs.md").read_text()
    pages = corpus + "".join((ROOT / "docs" / f"{name}.md").read_text() for name in ("security", "sandbox", "erasure"))
    named = set(re.findall(r"`((?:test|check)_\w+)`", pages))
    defined = {
        name
        for pattern in ("test_*.py", "rules_*.py")
        for path in (ROOT / "tests").rglob(pattern)
        for name in re.findall(r"^def ((?:test|check)_\w+)", path.read_text(), re.MULTILINE)
    }

    assert len(named) > 50
    assert named <= defined, sorted(named - defined)
    assert all(re.search(r":\s", line) for line in re.split(r"^[*] ", corpus, flags=re.MULTILINE)[1:])


def test_server_page_names_every_option_of_the_local_stack() -> None:
    """`docs/server.md` describes each option of `laurel local`, `backup` and `restore`."""
    page = (ROOT / "docs/server.md").read_text()
    commands = [load_command(name) for name in ("local", "backup", "restore")]

    options = {option for command in commands for parameter in command.params for option in parameter.opts[-1:]}

    assert {option for option in options if option.startswith("--")} - set(re.findall(r"--[a-z-]+", page)) == set()


def test_docs_name_what_a_rehearsal_does_not_prove() -> None:
    """The page shows what the rehearsal prints last."""
    shown = (ROOT / "docs" / "building.md").read_text().partition("rehearse: proven is")[2].partition("```")[0]

    assert re.findall(r"^  - (.+)$", shown, re.MULTILINE) == list(NOT_PROVEN)


def test_tests_that_are_left_out_are_listed() -> None:
    """docs/tests.md lists each file of tests that `make test` leaves out, in whole or in part."""
    table = (ROOT / "docs" / "tests.md").read_text().partition("## Tests that try a sample")[0]
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.glob("tests/**/test_*.py")
        if path != Path(__file__) and "mark.long" in path.read_text()
    }

    assert set(re.findall(r"`(tests/[\w/]+/test_\w+\.py)`", table)) == marked
