"""What of botocore's data a layer keeps."""

import gzip
import json
import os
from pathlib import Path

from scripts.lighten import Code, cut_model, lighten, read_code

MODEL = {"metadata": {"endpointPrefix": "s3"}, "operations": {"GetObject": {}, "Other": {}}, "shapes": {}}
ENDPOINTS = {"partitions": [{"partition": name, "services": {"s3": {}, "ec2": {}}} for name in ("aws", "aws-cn")]}


def test_only_named_services_stay_in_every_partition(tmp_path: Path) -> None:
    """Other services, older models and examples go; what the installer linked from its cache keeps its content."""
    data = tmp_path / "python" / "botocore" / "data"
    for name in ("s3/2006/service-2.json.gz", "s3/2005/service-2.json.gz", "ec2/2016/service-2.json.gz"):
        (data / name).parent.mkdir(parents=True)
        (data / name).write_bytes(gzip.compress(json.dumps(MODEL).encode()))
    (data / "s3/2006/examples-1.json").write_text("{}")
    (data / "s3/2006/waiters-2.json").write_text("{}")
    (data / "endpoints.json").write_text(json.dumps(ENDPOINTS))
    cache = tmp_path / "endpoints.json"
    os.link(data / "endpoints.json", cache)

    lighten(tmp_path / "python", Code(frozenset({"s3"}), frozenset({"get_object"})))

    kept = {path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file()}
    assert kept == {"s3/2006/service-2.json", "s3/2006/waiters-2.json", "endpoints.json"}
    assert set(json.loads((data / "s3/2006/service-2.json").read_text())["operations"]) == {"GetObject"}
    assert [list(each["services"]) for each in json.loads((data / "endpoints.json").read_text())["partitions"]] == [
        ["s3"],
        ["s3"],
    ]
    assert json.loads(cache.read_text()) == ENDPOINTS


def test_code_is_read_for_services_and_names(tmp_path: Path) -> None:
    """Attributes and strings may be operations; only clients that are created are services."""
    (tmp_path / "bucket.py").write_text(
        'client = session.create_client("s3", config=config)\nclient.get_object(Key="x")\npages("list_objects_v2")\n'
    )

    code = read_code([tmp_path])

    assert code.services == {"s3"}
    assert {"get_object", "list_objects_v2"} <= code.names


def test_model_keeps_what_its_operations_reach() -> None:
    """Shapes of input, output and members stay; errors always; texts go, but not a member of that name."""
    model = {
        "operations": {
            "Get": {"input": {"shape": "In"}, "output": {"shape": "Out"}, "documentation": "<p>"},
            "Put": {"input": {"shape": "Other"}},
        },
        "shapes": {
            "In": {"type": "structure", "members": {"documentation": {"shape": "Text", "documentation": "<p>"}}},
            "Out": {"type": "list", "member": {"shape": "In"}},
            "Text": {"type": "string"},
            "Other": {"type": "string"},
            "Late": {"type": "structure", "members": {"at": {"shape": "When"}}, "exception": True},
            "When": {"type": "timestamp"},
        },
        "clientContextParams": {"Fast": {"documentation": "kept", "type": "boolean"}},
    }

    cut = cut_model(model, {"Get"})

    assert set(cut["operations"]) == {"Get"}
    assert list(cut["shapes"]) == ["In", "Out", "Text", "Late", "When"]
    assert cut["shapes"]["In"]["members"] == {"documentation": {"shape": "Text"}}
    assert "documentation" not in cut["operations"]["Get"]
    assert cut["clientContextParams"] == model["clientContextParams"]
