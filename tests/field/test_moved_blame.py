"""Whose fault it is when a moved program ends otherwise than with scores."""

from pathlib import Path

import pytest

from scoring_core.judgement import Judgement
from scoring_core.outcome import Outcome
from tests.harness.archives import make_zip, zip_files
from tests.harness.command_line import laurel
from tests.harness.moved import BUNDLE, CHALLENGE, copy_case, make, run

RIGHT = b"[4711, 815, 1234]"
SCORE = "prog/score.py"
WRITE_SCORES_TXT = """open(sys.argv[2] + "/scores.txt", "w").write("pub: 2\\npriv: 1\\nnote: all fine\\n")"""


def score_bundle(
    tmp_path: Path, result: bytes, *edits: tuple[str, str, str], files: dict[str, str] | None = None
) -> Judgement:
    """Move the bundle with texts replaced in its files, and score a result."""
    bundle = copy_case(BUNDLE, tmp_path / "bundle", files=files)
    for file, old, new in edits:
        text = (bundle / file).read_bytes().decode("latin-1")
        assert old in text
        (bundle / file).write_bytes(text.replace(old, new).encode("latin-1"))
    make(tmp_path / "guess", "--from", str(bundle))
    return run(tmp_path / "guess", result, "result.zip")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ((("submission/answer.json", RIGHT),), "no answer.json in the ZIP; found submission/answer.json"),
        ((("answers.json", RIGHT),), "no answer.json in the ZIP; found answers.json"),
        (
            (("mine/answer.json", RIGHT), ("mine/.DS_Store", b"x"), ("__MACOSX/mine/._answer.json", b"x")),
            "no answer.json in the ZIP; found mine/answer.json",
        ),
        ((("answer.json", b"[4711"),), "JSONDecodeError: Expecting ',' delimiter: line 1 column 6 (char 5)"),
        ((("answer.json/x", b""),), "IsADirectoryError: [Errno 21] Is a directory: '/app/input/res/answer.json'"),
        ((("a", b""), ("a/answer.json", b"")), "the ZIP cannot be unpacked"),
    ],
)
def test_mistake_in_the_zip_is_said_to_the_player(
    entries: tuple[tuple[str, bytes], ...], message: str, tmp_path: Path
) -> None:
    """A folder around the files, another name, what a Mac adds: the player reads what the ZIP has."""
    scored = score_bundle(tmp_path, make_zip(*entries))

    assert scored.outcome is Outcome.INVALID, scored
    assert scored.message.startswith(message)


def test_what_systems_add_is_left_out(tmp_path: Path) -> None:
    """A program that takes every file of the result does not see what its maker did not see; so of Windows, Python."""
    hidden = ("__MACOSX/._answer.json", ".DS_Store", "Desktop.ini", "thumbs.db", "__pycache__/a.pyc")
    entries = make_zip(("answer.json", RIGHT), *((name, b"x") for name in hidden))
    listing = 'assert os.listdir(sys.argv[1] + "/res") == ["answer.json"]\nres = '

    assert score_bundle(tmp_path, entries, (SCORE, "res = ", listing)).outcome is Outcome.SCORED


@pytest.mark.parametrize(
    "edit",
    [
        ("ref/truth.json", "815, 1234]", "815"),
        ("prog/metadata.yaml", "/app/input", '"/app/input'),
        (SCORE, '"pub": hits', '"pub": "many"'),
        (SCORE, 'json.dump({"pub": hits, "priv": hits * 2}', "json.dump([1]"),
        (SCORE, "hits = ", "ref['x']\nhits = "),
        (SCORE, "import json", "import json, missing_package"),
        (SCORE, "hits = ", "sys.exit(3)\nhits = "),
        (SCORE, "ref = ", "int('x')\nref = "),
        (SCORE, "hits = ", "open('/app/input/ref/lookup.txt')\nhits = "),
    ],
)
def test_mistake_of_the_owner_is_the_owners(edit: tuple[str, str, str], tmp_path: Path) -> None:
    """Broken reference data, command or program, and scores that are none, make nobody's result invalid."""
    scored = score_bundle(tmp_path, zip_files({"answer.json": RIGHT}), edit)

    assert scored.outcome is Outcome.EVALUATOR_ERROR, scored
    assert scored.output is not None
    assert "Traceback" in scored.output.stderr


OWN = (
    "json.load(open(sys.argv[1] + '/ref/broken.json'))",
    "table['b']",
    "[table[row] for row in rows]",
    "look(table, 'b')",
    "int(rows[0])",
    "rows[7]",
    "one, two, three = rows",
    "late = {'q9': 1}; late[rows[0]]",
    "late = {row: 1 for row in rows}; later = late.copy(); later['q9']",
)
THEIRS = (
    "res[7]",
    "table[str(res[0])]",
    "[table[str(row)] for row in res]",
    "one, two = res",
    "int(text)",
    "look(res, 9)",
    "late = {row: 1 for row in res}; late[rows[0]]",
)


@pytest.mark.parametrize(
    ("failing", "outcome"), [*((code, "evaluator_error") for code in OWN), *((code, "invalid") for code in THEIRS)]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_fault_is_of_who_made_what_the_expression_has(
    failing: str, outcome: str, tmp_path: Path, *, is_first: bool
) -> None:
    """What fails on the program's own values makes nobody's result invalid, whichever was opened first."""
    own = "def look(values, key):\n    return values[key]\n"
    own += "table, rows = {'a': 1}, json.load(open(sys.argv[1] + '/ref/rows.json'))\n"
    read = "text = open(sys.argv[1] + '/res/answer.json').read(); res = json.loads(text)\n"
    code = "".join([own, read] if is_first else [read, own]) + f"{failing}\nhits = "

    scored = score_bundle(
        tmp_path,
        zip_files({"answer.json": b"[4712, 816, 1235]"}),
        (SCORE, "hits = ", code),
        files={"ref/rows.json": '["q1", "q2"]', "ref/broken.json": "[1"},
    )

    assert scored.outcome == outcome, scored


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("if not os.path.exists('/app/input/res/b.json'): raise Exception('no b.json')\n", "Exception: no b.json"),
        (
            "raise FileNotFoundError('No CSV file found in /app/input/res')\n",
            "FileNotFoundError: No CSV file found in /app/input/res; the ZIP has answer.json",
        ),
        ("class Wrong(Exception): ...\nraise Wrong('three, please')\n", "Wrong: three, please"),
        ("sys.exit('two columns, please')\n", "two columns, please"),
        ("import glob; glob.glob('/app/input/res/*.csv')[0]\n", "IndexError: list index out of range"),
        ("assert len(json.load(open('/app/input/res/answer.json'))) == 4, 'four!'\n", "AssertionError: four!"),
    ],
)
def test_what_the_program_raises_about_the_result_is_the_players(before: str, message: str, tmp_path: Path) -> None:
    """Also where it has opened nothing of the result, or does not name a file."""
    scored = score_bundle(tmp_path, zip_files({"answer.json": RIGHT}), (SCORE, "res = ", f"{before}res = "))

    assert (scored.outcome, scored.message) == (Outcome.INVALID, message)


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        ("from xml.etree import ElementTree; ElementTree.parse({path})", b"<a><b></a>"),
        ("import yaml; yaml.safe_load(open({path}))", b"a: [1\nb: {"),
        ("import ast; ast.literal_eval(open({path}).read())", b"[1, 2"),
        ("import pickle; pickle.load(open({path}, 'rb'))", b""),
        ("import pickle; pickle.load(open({path}, 'rb'))", b"no pickle"),
    ],
)
@pytest.mark.parametrize("is_result", [True, False])
def test_what_a_parser_cannot_read_is_of_who_made_the_file(
    reader: str, content: bytes, tmp_path: Path, *, is_result: bool
) -> None:
    """Errors of parsers that are no `ValueError` are the player's where they are about the result."""
    path = "/app/input/res/answer.json" if is_result else "/app/input/ref/truth.json"
    code = reader.format(path=repr(path))
    edits = [(SCORE, "import json, sys", f"{code}\nimport json, sys"), ("ref/truth.json", "[4711, 815", "<[4711, 815")]

    scored = score_bundle(tmp_path, zip_files({"answer.json": content}), *edits)

    assert scored.outcome is (Outcome.INVALID if is_result else Outcome.EVALUATOR_ERROR), scored


@pytest.mark.parametrize(
    ("edit", "scores"),
    [
        ((SCORE, "hits * 2}", "hits * 2, 'team': 'x'}"), {"pub": 3.0, "both": 4.5}),
        ((SCORE, "json.dump(", f"{WRITE_SCORES_TXT}; sys.exit(0); json.dump("), {"pub": 2.0, "both": 1.5}),
        ((SCORE, "import json", "# -*- coding: latin-1 -*-\n# pr\xfcfen\nimport json"), {"pub": 3.0, "both": 4.5}),
        ((SCORE, '"pub": hits', '"pub": float("nan")'), {}),
        ((SCORE, '"pub": hits', '"pub": None'), {}),
        ((SCORE, '"pub": hits', '"pub": float("inf")'), {}),
    ],
)
def test_program_is_scored_as_its_platform_scores_it(
    edit: tuple[str, str, str], scores: dict[str, float], tmp_path: Path
) -> None:
    """Texts that are no columns are left out, Latin-1 is read; what is not finite is no value, and ranks last."""
    scored = score_bundle(tmp_path, zip_files({"answer.json": RIGHT}), edit)

    assert (scored.outcome, scored.scores) == (Outcome.SCORED, scores)


@pytest.mark.parametrize(
    ("edit", "result", "outcome"),
    [
        (("assert", "assert"), b"[1]", Outcome.INVALID),
        (("assert", "raise SystemExit('no'); assert"), b"[1]", Outcome.INVALID),
        (("assert", "gold['x']; assert"), b"[1]", Outcome.EVALUATOR_ERROR),
        (("assert", "open('/none'); assert"), b"[1]", Outcome.EVALUATOR_ERROR),
        (('"result"', '"results"'), b"[0, 1, 0, 1]", Outcome.EVALUATOR_ERROR),
        (('"F1": right', '"F1": float("nan")'), b"[0, 1, 0, 1]", Outcome.SCORED),
        (("assert", "raise SystemExit(1); assert"), b"[1]", Outcome.EVALUATOR_ERROR),
    ],
)
def test_evaluate_has_the_same_rules(edit: tuple[str, str], result: bytes, outcome: Outcome, tmp_path: Path) -> None:
    """`evaluate` of EvalAI: what it raises about the result is the player's, all else the owner's."""
    challenge = copy_case(CHALLENGE, tmp_path / "challenge")
    program = challenge / "evaluation_script" / "main.py"
    program.write_text(program.read_text().replace(*edit))
    make(tmp_path / "evens", "--from", str(challenge))

    scored = run(tmp_path / "evens", result, "result.json")

    assert scored.outcome is outcome, scored


@pytest.mark.parametrize("platform", ["codabench", "evalai"])
def test_package_that_no_runtime_has_is_named(platform: str, tmp_path: Path) -> None:
    """`laurel new` writes the runtime that has the packages, and says what none has, or what would install some."""
    case, program = {"codabench": (BUNDLE, SCORE), "evalai": (CHALLENGE, "evaluation_script/__init__.py")}[platform]
    origin = copy_case(case, tmp_path / "origin")
    (origin / program).write_text(
        "from sklearn.metrics import f1_score\nimport nltk.translate\nimport os.path\nfrom utils import x\n"
    )
    (origin / program).with_name("utils.py").write_text("import numpy\ninstall('nltk')\n")

    printed = make(tmp_path / "made", "--from", str(origin))

    assert "runtime: learning" in (tmp_path / "made" / "benchmark.yaml").read_text()
    assert "the program imports nltk, of no runtime here" in printed
    assert "utils.py installs packages" in printed


def test_program_that_is_zipped_with_its_folder_is_refused(tmp_path: Path) -> None:
    """Where the platform would find no metadata, `laurel new` says what it found."""
    bundle = copy_case(BUNDLE, tmp_path / "bundle", lambda config: config["tasks"][0].update(scoring_program="p.zip"))
    (bundle / "p.zip").write_bytes(zip_files({"prog/score.py": b"", "prog/metadata.yaml": b"command: python score.py"}))

    done = laurel("new", str(tmp_path / "made"), "--from", str(bundle))

    assert "expected metadata.yaml or metadata at the top" in str(done.exception)
    assert "found prog/metadata.yaml, prog/score.py" in str(done.exception)
