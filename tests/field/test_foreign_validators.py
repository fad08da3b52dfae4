"""What others' tools read of a board is valid for their own validators, each in an environment of its own."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from cli.boards.first_rows import read_head
from cli.boards.records import DATASETS, list_card_results, list_records
from scripts.tools import ROOT
from storage.boards.models import HeadLink
from storage.boards.site.croissant import write_croissant
from tests.web.boards import make_board

pytestmark = pytest.mark.long
SITE = "https://laurel.example.org"
HEAD = make_board("thirty", players=30).model_copy(
    update={
        "links": (
            HeadLink(label="License", url="https://creativecommons.org/licenses/by/4.0/"),
            HeadLink(label="Paper", url="https://example.org/paper"),
            HeadLink(label="Data", url=f"{DATASETS}org/thirty"),
        )
    }
)
SHOWN = read_head(json.loads(HEAD.to_body()))


def judge(package: str, code: str, file: Path) -> str:
    """Run a validator of a package on a file, and return what it says."""
    command = ["uv", "run", "--no-project", "--python", "3.13", "--with", package, "python", "-c", code, str(file)]
    command[0] = str(ROOT / "scripts" / "uv")
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=file.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_croissant_is_valid_for_mlcroissant(tmp_path: Path) -> None:
    """It reads the licence and the citation, and has no fault to name."""
    file = tmp_path / "croissant.json"
    file.write_text(write_croissant(HEAD, site=SITE), encoding="utf-8")
    code = (
        "import sys, mlcroissant; data = mlcroissant.Dataset(jsonld=sys.argv[1]).metadata;"
        "print(data.license, data.cite_as, data.issues.errors)"
    )

    assert "creativecommons.org/licenses/by/4.0/'] https://example.org/paper" in judge("mlcroissant==1.1.1", code, file)


def test_records_are_valid_for_every_eval_ever(tmp_path: Path) -> None:
    """Each record is one of its own model."""
    headers = [{"name": metric.id, "min": 0} for metric in HEAD.metrics]
    file = tmp_path / "records.jsonl"
    records = list_records(SHOWN, SHOWN.list_rows(30), headers, site=SITE)
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    code = (
        "import json, sys; from every_eval_ever.eval_types import EvaluationLog;"
        "lines = open(sys.argv[1]).read().splitlines();"
        "print(len([EvaluationLog.model_validate(json.loads(line)) for line in lines]))"
    )

    assert judge("every-eval-ever==0.3.0", code, file).split()[0] == "30"


def test_card_results_are_valid_for_the_hub(tmp_path: Path) -> None:
    """Its own reader of `.eval_results/` reads data set, task and value."""
    rows = SHOWN.list_rows(30)
    file = tmp_path / "thirty.yaml"
    file.write_text(yaml.safe_dump(list_card_results(SHOWN, rows, rows[0].name, site=SITE)), encoding="utf-8")
    code = (
        "import sys, yaml; from huggingface_hub import parse_eval_result_entries as read;"
        "(entry,) = read(yaml.safe_load(open(sys.argv[1]))); print(entry.dataset_id, entry.task_id, entry.value)"
    )

    assert judge("huggingface-hub==2.4.0", code, file).split()[:2] == ["org/thirty", "thirty"]
