"""template.yaml is read as a deployment reads it, offline and with predictable names."""

import json
from pathlib import Path
from typing import Final

import pytest
import yaml

import local.template as template_module
from local.intrinsics import Resolver, TemplateError
from local.template import Template, hash_source, load_template, resolve
from scripts.deployment.additions import complete_functions, complete_queues
from scripts.translation import read_source, translate

TEMPLATE_PATH: Final = Path(__file__).parents[2] / "template.yaml"
DOCUMENT: Final = {
    "Parameters": {"Stage": {"Type": "String", "Default": "prod"}},
    "Conditions": {"IsProduction": {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}},
    "Resources": {
        "Letters": {"Type": "AWS::SQS::Queue"},
        "Named": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": {"Fn::Sub": "${AWS::StackName}-x"}}},
        "OnlyThere": {"Type": "AWS::S3::Bucket", "Condition": "IsProduction"},
    },
}


@pytest.fixture(scope="module")
def development() -> Template:
    """Return the template with Stage=dev."""
    return load_template({"Stage": "dev"})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "Stage"}, "prod"),
        ({"Ref": "Letters"}, "https://sqs.us-east-1.amazonaws.com/123456789012/laurel-local-letters"),
        ({"Ref": "Named"}, "laurel-local-x"),
        ({"Fn::GetAtt": ["Letters", "Arn"]}, "arn:aws:sqs:us-east-1:123456789012:laurel-local-letters"),
        ({"Fn::GetAtt": "Letters.QueueName"}, "laurel-local-letters"),
        ({"Fn::Sub": "${Named.Arn}/a/${!Literal}/${Stage}"}, "arn:aws:s3:::laurel-local-x/a/${Literal}/prod"),
        ({"Fn::Sub": ["${Word}-${Stage}", {"Word": {"Ref": "Named"}}]}, "laurel-local-x-prod"),
        ({"Fn::Select": ["1", {"Fn::GetAZs": ""}]}, "us-east-1b"),
        ({"Fn::If": ["IsProduction", "INFO", "DEBUG"]}, "INFO"),
        (
            {"a": {"Fn::If": ["IsProduction", {"Ref": "AWS::NoValue"}, 1]}, "b": [{"Ref": "AWS::NoValue"}, 2]},
            {"b": [2]},
        ),
    ],
)
def test_intrinsic_function_has_the_value_of_a_deployment(value: object, expected: object) -> None:
    """Each function is resolved as CloudFormation's reference says."""
    resolver = Resolver(DOCUMENT, {})

    assert resolver.resolve(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Fn::ImportValue": "x"}, "Fn::ImportValue is none of"),
        ({"Ref": "Nobody"}, "Nobody is not in the template's Resources"),
        ({"Fn::GetAtt": ["Letters", "DomainName"]}, "Letters.DomainName"),
        ({"Fn::If": ["IsAnything", 1, 2]}, "IsAnything is not in the template's Conditions"),
    ],
)
def test_unknown_name_is_an_error(value: object, expected: str) -> None:
    """The error names the unknown function, name, attribute or condition."""
    resolver = Resolver(DOCUMENT, {})

    with pytest.raises(TemplateError, match=expected):
        resolver.resolve(value)


def test_what_was_built_is_complete() -> None:
    """A built template, which has all that is added to the source, is read as it is."""
    resources = read_source(TEMPLATE_PATH)["Resources"]
    before = json.dumps(resources)

    complete_functions(resources)
    complete_queues(resources)

    assert json.dumps(resources) == before


def test_translation_is_renewed_with_what_is_added(tmp_path: Path) -> None:
    """A script of the deployment that changes changes the template, too."""
    script = tmp_path / "scripts" / "deployment" / "additions.py"
    script.parent.mkdir(parents=True)
    (tmp_path / "template.yaml").write_text("")
    before = hash_source(tmp_path / "template.yaml")

    script.write_text("RETENTION_DAYS = 60")

    assert hash_source(tmp_path / "template.yaml") != before


@pytest.mark.parametrize(("stage", "present"), [("prod", True), ("dev", False)])
def test_resource_exists_only_under_its_condition(stage: str, *, present: bool) -> None:
    """A resource whose condition does not hold is left out."""
    template = resolve(DOCUMENT, {"Stage": stage})

    assert ("OnlyThere" in template.resources) is present


def test_translation_needs_no_region_and_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment has no region, credentials or profile."""
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")

    assert translate(TEMPLATE_PATH, {}).resources


def test_stack_starts_with_the_template_that_a_deployment_has() -> None:
    """The translation that a package contains is the same under all parameters."""
    parameters = {"Stage": "dev", "SiteDomain": "laurel.example", "AdminAddress": "admin@example.org"}

    assert load_template(parameters) == translate(TEMPLATE_PATH, parameters)


@pytest.mark.parametrize("translated", [None, {"source": "of another template.yaml", "document": {}}])
def test_template_that_was_not_translated_since_its_change_is_an_error(
    translated: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stack never starts with queues and tables of an older template."""
    file = tmp_path / "template.json"
    if translated:
        file.write_text(json.dumps(translated))
    monkeypatch.setattr(template_module, "TRANSLATED", file)

    with pytest.raises(TemplateError, match=r"template\.yaml has changed"):
        load_template({})


def test_environment_names_resources_of_the_template(development: Template) -> None:
    """A variable is the name of the resource that it is called after."""
    functions = development.resources_of("AWS::Lambda::Function").values()
    given = {item for each in functions for item in each.get("Environment", {}).get("Variables", {}).items()}
    suffixes = ("_BUCKET", "_FUNCTION", "_TABLE", "_QUEUE_URL")
    named = {(key, development.logical_id_of(value)) for key, value in given if key.endswith(suffixes)}

    assert len(named) > 15
    assert named == {(key, "".join(map(str.capitalize, key.removesuffix("_URL").split("_")))) for key, _ in named}
    assert ("STAGE", "dev") in given


def test_reference_outside_of_the_template_is_an_error(development: Template) -> None:
    """The error quotes the reference."""
    with pytest.raises(TemplateError, match="'arn:aws:s3:::elsewhere'"):
        development.logical_id_of("arn:aws:s3:::elsewhere")


def test_other_readers_of_yaml_reject_the_short_forms(development: Template) -> None:
    """yaml.safe_load, which reads benchmark.yaml, does not accept `!Ref`."""
    assert development.resources

    with pytest.raises(yaml.constructor.ConstructorError):
        yaml.safe_load("!Ref Stage")


@pytest.mark.parametrize(("name", "value"), [("SubmitBenchmark", "No Such/.."), ("ApiRate", "٣"), ("ApiRate", "")])
def test_value_that_a_parameter_excludes_is_refused(name: str, value: str) -> None:
    """One machine starts with no value that CloudFormation would refuse."""
    with pytest.raises(TemplateError, match=f"{name}: expected .*, found '{value}'"):
        load_template({"Stage": "dev", name: value})
