"""Translates template.yaml with SAM, for the package, the local stack and tests of the template's rules."""  # noqa: INP001 — scripts are no package

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from samtranslator.yaml_helper import intrinsics_multi_constructor

from local.intrinsics import REGION
from local.layout import ROOT, TRANSLATED
from local.template import Properties, Template, hash_source, resolve
from scripts.deployment.additions import add_runtimes, complete_functions, complete_queues

_LOCAL_CODE: Final = {"AWS::Serverless::Function": "CodeUri", "AWS::Serverless::LayerVersion": "ContentUri"}


def main() -> int:
    """Translate template.yaml if it has changed, and return the exit code."""
    build_template()
    return 0


def build_template() -> None:
    """Write the translated template of this repository unless it is there already."""
    source = ROOT / "template.yaml"
    key = hash_source(source)
    if TRANSLATED.is_file() and json.loads(TRANSLATED.read_bytes())["source"] == key:
        return
    draft = TRANSLATED.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps({"source": key, "document": translate_document(source, {})}), encoding="utf-8")
    draft.replace(TRANSLATED)


def translate(path: Path, parameters: Mapping[str, str]) -> Template:
    """Translate a SAM template as a deployment does, and resolve it.

    It works offline and without credentials.

    Args:
        path: The SAM template.
        parameters: Parameter name → value, such as `{"Stage": "dev"}`; others take their defaults.

    Raises:
        TemplateError: The template uses what the resolver does not know.
        InvalidDocumentException: SAM cannot translate it (samtranslator).
    """
    return resolve(translate_document(path, parameters), parameters)


def translate_document(path: Path, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return a SAM template as plain CloudFormation. Raises InvalidDocumentException."""
    # These imports take a second, and a template that has not changed needs none of them.
    from boto3 import Session  # noqa: PLC0415
    from samtranslator.parser.parser import Parser  # noqa: PLC0415
    from samtranslator.translator.translator import Translator  # noqa: PLC0415

    source = read_source(path)
    _replace_local_code(source)
    # Without a session the translator reads the region from the environment, which may have none.
    translator = Translator(managed_policy_map={}, sam_parser=Parser(), boto_session=Session(region_name=REGION))
    translated = translator.translate(source, parameter_values=dict(parameters))
    translator.metrics.publish()  # to nowhere; unpublished metrics cause a warning at garbage collection
    # JSON replaces the translator's own types of str and dict.
    document: dict[str, Any] = json.loads(json.dumps(translated))
    return document


def list_parameters(path: Path) -> dict[str, Properties]:
    """Return the parameters that a template declares, by name."""
    return dict(read_source(path)["Parameters"])


def read_source(path: Path) -> Any:
    """Return a SAM template with all additions, short forms as long ones."""
    source = yaml.load(path.read_text(encoding="utf-8"), Loader=_SamLoader)  # noqa: S506 — a SafeLoader with tags
    complete_functions(source["Resources"])
    complete_queues(source["Resources"])
    add_runtimes(source)
    return source


def _replace_local_code(source: Properties) -> None:
    """Replace local code folders by S3 URLs with the folder as key, as SAM requires."""
    function_globals = source.get("Globals", {}).get("Function", {})
    sections = [(function_globals, "CodeUri")] if "CodeUri" in function_globals else []
    for resource in source["Resources"].values():
        key = _LOCAL_CODE.get(resource["Type"])
        if key is not None and key in resource["Properties"]:
            sections.append((resource["Properties"], key))
    for properties, key in sections:
        properties[key] = f"s3://laurel-local-artifacts/{properties[key].strip('/')}"


class _SamLoader(yaml.CSafeLoader):
    """Reads CloudFormation's short forms; as a subclass it changes no other reader of YAML."""


_SamLoader.add_multi_constructor("!", intrinsics_multi_constructor)


if __name__ == "__main__":
    sys.exit(main())
