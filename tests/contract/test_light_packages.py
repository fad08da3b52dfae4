"""botocore's data in a layer is what it is as it comes, but for what no code names and for documentation."""

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any, Final

import botocore
import pytest
from botocore import xform_name
from botocore.loaders import Loader
from botocore.session import Session

from local.intrinsics import REGION
from scripts.lighten import lighten, read_code
from tests.harness.stack import ROOT

CODE: Final = read_code([ROOT / "layers" / "storage", ROOT / "functions"])
SERVICES: Final = sorted(CODE.services)
GATEWAY: Final = (ROOT / "layers" / "storage" / "storage" / "gateway" / "aws.py").read_text()
WHOLE: Final = Path(botocore.__file__).parent / "data"


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data that a layer has."""
    site = tmp_path_factory.mktemp("layer")
    data = site / "botocore" / "data"
    ignored = [path.name for path in WHOLE.iterdir() if path.is_dir() and path.name not in (*SERVICES, "ec2")]
    shutil.copytree(WHOLE, data, ignore=shutil.ignore_patterns(*ignored))
    lighten(site, CODE)
    return data


def read(path: Path) -> Any:
    """Read a file of data, as it is or packed."""
    return json.loads(path.read_bytes() if path.suffix == ".json" else gzip.decompress(path.read_bytes()))


def strip(value: Any) -> Any:
    """Return data without its texts of documentation."""
    if isinstance(value, dict):
        return {key: strip(each) for key, each in value.items() if (key, type(each)) != ("documentation", str)}
    return [strip(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("service", SERVICES)
def test_service_loses_nothing_that_is_called(light: Path, service: str) -> None:
    """Operations that stay, their shapes, pages, waiters and rules of endpoints are the newest of botocore."""
    newest = max(WHOLE.joinpath(service).iterdir())
    wanted = {path.name.removesuffix(".gz"): read(path) for path in newest.iterdir() if "examples" not in path.name}

    (version,) = light.joinpath(service).iterdir()
    kept = {path.name: read(path) for path in version.iterdir()}

    model, whole = kept.pop("service-2.json"), strip(wanted.pop("service-2.json"))
    used = {*re.findall(r'"shape": "(\w+)"', json.dumps(model))}
    used |= {name for name, shape in whole["shapes"].items() if shape.get("exception")}
    for part, names in {"operations": model["operations"], "shapes": used}.items():
        whole[part] = {name: each for name, each in whole[part].items() if name in names}
    assert version.name == newest.name
    assert (strip(kept), strip(model)) == (strip(wanted), whole)


def test_each_call_of_the_gateway_has_its_operation(light: Path) -> None:
    """Those that are called by name stay too: two of pages, and the one that forms that upload are signed as."""
    models = [read(path) for path in light.glob("*/*/service-2.json")]
    offered = {xform_name(operation) for model in models for operation in model["operations"]}

    called = set(re.findall(r"client\.(?!generate_|get_pag)([a-z_]+)\(", GATEWAY))

    assert len(called) >= 18
    assert called | {"list_objects_v2", "list_object_versions", "create_bucket"} <= offered


def test_endpoints_of_each_partition_are_those_of_the_services(light: Path) -> None:
    """Every session reads them; nothing else of them is another, in any region, and other services are gone."""
    kept, wanted = (read(data / "endpoints.json") for data in (light, WHOLE))
    names = {read(next(light.glob(f"{each}/*/service-2.json")))["metadata"]["endpointPrefix"] for each in SERVICES}

    for partition in wanted["partitions"]:
        partition["services"] = {name: each for name, each in partition["services"].items() if name in names}

    assert kept == wanted
    assert sorted(path.name for path in light.iterdir() if path.is_dir()) == SERVICES
    assert SERVICES == ["dynamodb", "lambda", "s3", "sesv2", "sqs"], "found by the calls that make their clients"


@pytest.mark.parametrize("service", SERVICES)
def test_client_is_made_of_it(light: Path, service: str) -> None:
    """A client of the data of a layer asks where one of botocore's own asks."""

    def make(data: Path) -> Any:
        session = Session()
        session.register_component("data_loader", Loader([str(data)], include_default_search_paths=False))
        return session.create_client(service, REGION, aws_access_key_id="a", aws_secret_access_key="b")

    made, whole = make(light), make(WHOLE)

    assert made.meta.endpoint_url == whole.meta.endpoint_url
    made, whole = made.meta.service_model, whole.meta.service_model
    assert set(made.operation_names) < set(whole.operation_names)
    assert made.client_context_parameters == whole.client_context_parameters
