"""An evaluation script that is a folder: modules and data files are published, hashed, checked and run with it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from aggregate.benchmarks.changes import find_changes
from cli.commands.benchmarks.scoring import check_folder
from sandbox.bubblewrap import Sandbox
from scoring_core.benchmarks.bundle import pack, unpack
from scoring_core.benchmarks.loading import Benchmark, load_bundle, load_folder
from scoring_core.errors import BenchmarkError
from scoring_core.judgement import judge
from scoring_core.outcome import Outcome
from tests.harness.stack import COINS

type WriteFolder = Callable[..., Path]
FILES = {
    "evaluate/evaluate.py": (
        "import json, sys\nfrom pathlib import Path\nfrom lib import counting\nimport weights\n"
        "result = json.loads(Path(sys.argv[1]).read_text())\n"
        "truth = json.loads(Path(__file__).with_name('truth.json').read_text())\n"
        "print(json.dumps({'Coins': counting.count(result) * weights.of('gold') + truth['bonus']}))\n"
    ),
    "evaluate/weights.py": (
        "from pathlib import Path\nTABLE = Path(__file__).with_name('data').joinpath('weights.csv').read_text()\n"
        "def of(name):\n    return dict((row.split(',')[0], int(row.split(',')[1])) for row in TABLE.split())[name]\n"
    ),
    "evaluate/lib/__init__.py": "",
    "evaluate/lib/counting.py": "import numpy\n\ndef count(result):\n    return int(numpy.sum(result['coins']))\n",
    "evaluate/data/weights.csv": "gold,3\nsilver,2\n",
    "truth.json": '{"bonus": 1}',
    "examples/sample.json": '{"coins": [1, 2]}',
    "examples/expected.yaml": "sample: {scores: {Coins: 10}}\n",
}
GAME = {
    **COINS,
    "id": "pile",
    "ground_truth": "truth.json",
    "salt": "none",
    "score_type": {"headers": [{"name": "Coins", "type": "int"}]},
    "ranking": {"by": ["Coins"]},
}


@pytest.fixture
def write(tmp_path: Path) -> WriteFolder:
    """Writes the folder with some files changed; None leaves one out."""

    def write(**changes: str | None) -> Path:
        folder = tmp_path / "pile"
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in {"benchmark.yaml": json.dumps(GAME), **FILES, **changes}.items():
            if content is not None:
                folder.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
                folder.joinpath(path).write_text(content)
        return folder

    return write


def repack(benchmark: Benchmark) -> Benchmark:
    """Return what a publication over HTTP makes of the folder."""
    return load_bundle(pack(unpack(benchmark.pack())))


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_modules_and_data_are_beside_the_script(write: WriteFolder) -> None:
    """The folder is checked, and scores the same once it is published; a second run finds it as the first did."""
    folder = write()

    report = check_folder(folder)

    assert [check.differences for check in report.checks] == [()]
    assert report.ignored == ()
    published = repack(report.benchmark)
    assert published.version == report.benchmark.version
    with Sandbox() as sandbox:
        scorer = published.prepare_scorer(sandbox)
        scores = [judge(published, scorer, b'{"coins": [%d]}' % number).scores for number in (1, 2)]
    assert scores == [{"Coins": 4}, {"Coins": 7}]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_run_leaves_nothing_in_the_folder(write: WriteFolder) -> None:
    """A run can neither change a module for the next one, nor add one, nor leave compiled code."""
    attack = (
        "import json, pathlib, weights\nhere = pathlib.Path(__file__).parent\nfailed = 0\n"
        "for path in (here / 'weights.py', here / 'new.py', here / 'lib' / 'new.py'):\n"
        "    try:\n        path.write_text('x')\n    except OSError:\n        failed += 1\n"
        "print(json.dumps({'Coins': failed + 10 * len(list(here.rglob('__pycache__')))}))\n"
    )
    benchmark = load_folder(write(**{"evaluate/evaluate.py": attack}))

    with Sandbox() as sandbox:
        scorer = benchmark.prepare_scorer(sandbox)
        judgements = [judge(benchmark, scorer, b"{}") for _ in range(2)]

    assert [(each.outcome, each.scores) for each in judgements] == [(Outcome.SCORED, {"Coins": 3})] * 2


@pytest.mark.parametrize("path", [path for path in FILES if path.startswith("evaluate/")])
def test_version_covers_every_file(write: WriteFolder, path: str) -> None:
    """A change of any file of the folder is another version, and publishing names it as part of the script."""
    before, after = load_folder(write()), load_folder(write(**{path: FILES[path] + "\n# other"}))

    assert before.version != after.version
    assert find_changes(before, after) == [f"script {path}"]


def test_script_alone_in_the_folder_has_the_version_of_one_beside_it(write: WriteFolder) -> None:
    """Where the script lies decides nothing."""
    alone = dict.fromkeys((path for path in FILES if path.startswith("evaluate/")), None)

    inside = load_folder(write(**{**alone, "evaluate/evaluate.py": "print()"}))
    beside = load_folder(write(**{**alone, "evaluate.py": "print()"}))

    assert inside.version == beside.version


def test_hidden_files_links_and_compiled_code_are_left_out(write: WriteFolder, tmp_path: Path) -> None:
    """What an editor, Python or somebody else left there is not published."""
    folder = write(**{"evaluate/.secret": "x", "evaluate/__pycache__/weights.pyc": "x", "evaluate/.git/config": "x"})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "stolen.py").write_text("x")
    folder.joinpath("evaluate/link.py").symlink_to(tmp_path / "outside" / "stolen.py")
    folder.joinpath("evaluate/linked").symlink_to(tmp_path / "outside")

    benchmark = load_folder(folder)

    assert {path for path in benchmark.files if path.startswith("evaluate/")} == {
        path for path in FILES if path.startswith("evaluate/")
    }
    folder = write(**dict.fromkeys(path for path in FILES if path.startswith("evaluate/")), **{"evaluate.py": "1"})
    folder.joinpath("evaluate").symlink_to(tmp_path / "outside")
    assert "evaluate/stolen.py" not in load_folder(folder).files


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"evaluate.py": "print()"}, "expected evaluate.py in evaluate/ with its modules, found it beside that folder"),
        ({"evaluate/evaluate.py": None}, "scorer: script needs evaluate.py beside benchmark.yaml, or in evaluate/"),
        ({"evaluate/truth.json": "{}"}, "ground_truth: evaluate/truth.json has the same name"),
        (
            {f"evaluate/m{number}.py": "" for number in range(200)},
            "evaluate/: expected at most 200 files beside evaluate.py, found 204",
        ),
        (
            {"benchmark.yaml": json.dumps({**GAME, "scorer": "iqa_fusion"})},
            "scorer: iqa_fusion has no use for evaluate/evaluate.py; did you mean script?",
        ),
    ],
)
def test_fault_of_the_folder_is_named(write: WriteFolder, changes: dict[str, str | None], fault: str) -> None:
    """Both places, none, a name twice, too many files, another scorer."""
    with pytest.raises(BenchmarkError) as caught:
        load_folder(write(**changes))

    assert fault in caught.value.message


@pytest.mark.parametrize("path", ["evaluate/../a.py", "evaluate//a.py", "evaluate/a\\b.py", "lib/a.py"])
def test_bundle_with_a_strange_path_is_refused(write: WriteFolder, path: str) -> None:
    """A ZIP that somebody uploads holds nothing that leads elsewhere."""
    files = {**load_folder(write()).files, path: b""}

    with pytest.raises(BenchmarkError, match="which is no file of a benchmark"):
        load_bundle(pack(files))
