"""local/template.py reads template.yaml as a deployment would, offline and under names that can be foretold."""

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from local.intrinsics import Resolver, TemplateError
from local.template import Route, Template, resolve, translate

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
    """The template under Stage=dev."""
    return translate(TEMPLATE_PATH, {"Stage": "dev"})


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
        ({"Fn::Join": ["/", ["a", {"Ref": "Stage"}]]}, "a/prod"),
        ({"Fn::If": ["IsProduction", "INFO", "DEBUG"]}, "INFO"),
        (
            {"a": {"Fn::If": ["IsProduction", {"Ref": "AWS::NoValue"}, 1]}, "b": [{"Ref": "AWS::NoValue"}, 2]},
            {"b": [2]},
        ),
    ],
)
def test_intrinsic_functions_give_what_a_deployment_gives(value: object, expected: object) -> None:
    """Each intrinsic function stands for what CloudFormation's reference says of it."""
    resolver = Resolver(DOCUMENT, {})

    assert resolver.resolve(value) == expected


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"Fn::ImportValue": "x"}, "Fn::ImportValue is none of"),
        ({"Ref": "Nobody"}, "Nobody is not in the template's Resources"),
        ({"Fn::GetAtt": ["Letters", "DomainName"]}, "Letters.DomainName"),
        ({"Fn::If": ["IsAnything", 1, 2]}, "IsAnything is not in the template's Conditions"),
    ],
)
def test_what_the_resolver_does_not_know_is_named(value: object, told: str) -> None:
    """An unknown function, name, attribute or condition is an error that names it."""
    resolver = Resolver(DOCUMENT, {})

    with pytest.raises(TemplateError, match=told):
        resolver.resolve(value)


@pytest.mark.parametrize(("stage", "present"), [("prod", True), ("dev", False)])
def test_a_resource_is_there_only_under_its_condition(stage: str, *, present: bool) -> None:
    """A resource whose condition does not hold is not made."""
    template = resolve(DOCUMENT, {"Stage": stage})

    assert ("OnlyThere" in template.resources) is present


def test_translation_asks_neither_region_nor_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The template translates without a region, credentials or a profile in the environment."""
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")

    assert translate(TEMPLATE_PATH, {}).resources


def test_every_event_source_joins_two_resources_of_the_template(development: Template) -> None:
    """A mapping's ARN and function lead back to logical ids."""
    mappings = development.resources_of("AWS::Lambda::EventSourceMapping").values()

    joined = {
        (development.logical_id_of(mapping["EventSourceArn"]), development.logical_id_of(mapping["FunctionName"]))
        for mapping in mappings
    }

    assert joined == {
        ("DropQueue", "DropFunction"),
        ("DropDeadLetterQueue", "DropDeadLetterFunction"),
        ("EvaluateQueue", "EvaluateFunction"),
        ("ShareQueue", "EvaluateFunction"),
        ("EvaluateDeadLetterQueue", "DeadLetterFunction"),
        ("SubmissionsTable", "AggregateFunction"),
        ("SubmissionsTable", "NotifyFunction"),
        ("MailQueue", "SendFunction"),
    }


def test_environments_name_the_resources_that_the_wiring_makes(development: Template) -> None:
    """What a function reads from its environment is the name of the resource that will be there."""
    variables: dict[str, Any] = {}
    for properties in development.resources_of("AWS::Lambda::Function").values():
        variables |= properties.get("Environment", {}).get("Variables", {})

    named = {
        key: development.logical_id_of(value)
        for key, value in variables.items()
        if key.endswith(("_BUCKET", "_FUNCTION", "_TABLE", "_QUEUE_URL"))
    }

    assert named == {
        "RESULTS_BUCKET": "ResultsBucket",
        "DROP_QUEUE_URL": "DropQueue",
        "SITE_BUCKET": "SiteBucket",
        "SUBMISSIONS_TABLE": "SubmissionsTable",
        "BOARDS_TABLE": "BoardsTable",
        "ACCESS_TABLE": "AccessTable",
        "SANDBOX_FUNCTION": "SandboxFunction",
        "EVALUATE_QUEUE_URL": "EvaluateQueue",
        "EVALUATE_DEAD_LETTER_QUEUE_URL": "EvaluateDeadLetterQueue",
        "SHARE_QUEUE_URL": "ShareQueue",
        "MAIL_TABLE": "MailTable",
        "MAIL_QUEUE_URL": "MailQueue",
    }
    assert variables["STAGE"] == "dev"


def test_routes_lead_to_functions(development: Template) -> None:
    """The HTTP API's routes come with the function behind each."""
    assert Route("POST", "/api/{proxy+}", "SubmitFunction") in development.routes()


def test_a_stranger_belongs_to_no_resource(development: Template) -> None:
    """A reference to something outside the template is an error that quotes it."""
    with pytest.raises(TemplateError, match="'arn:aws:s3:::elsewhere'"):
        development.logical_id_of("arn:aws:s3:::elsewhere")


def test_other_readers_of_yaml_do_not_learn_the_short_forms(development: Template) -> None:
    """Reading the template does not teach `!Ref` to yaml.safe_load, which reads benchmark.yaml."""
    assert development.resources

    with pytest.raises(yaml.constructor.ConstructorError):
        yaml.safe_load("!Ref Stage")
