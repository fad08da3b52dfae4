"""A contest with a hidden half: what its definition says, what is scored when, and what tells nothing of the rest."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
import yaml

from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.definition import FinalRules
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from scoring_core.errors import BenchmarkError
from scoring_core.io.tables import read_table
from scoring_core.judgement import Judgement, judge
from scoring_core.scorers.base import Scores
from scoring_core.scorers.table import METRICS, Reads, submission

TRUTH = "id,y,Usage\na,1,Public\nb,2,private\nc,4,Public\nd,,Ignored\ne,8,Private\n"
IDS = "abcde"
ROWS = {"column": "Usage", "now": "public", "final": "Private"}
CLOSES = "2026-12-22T12:00:00+01:00"
QUESTIONS = {"data": [{"paragraphs": [{"qas": [{"id": "q", "answers": [{"text": "?"}]}]}]}]}

type Keys = dict[str, Any]


def make(
    truth: str = TRUTH, metric: str = "mae", *, keys: dict[str, Any] | None = None, **parameters: Any
) -> Benchmark:
    """Load a contest from its files, as publishing does."""
    headers = [{"name": metric, "type": "float"}]
    definition = {
        "id": "houses",
        "title": "Houses",
        "summary": "Prices.",
        "scorer": "table",
        "ground_truth": "truth.csv",
        "score_type": {"headers": headers},
        "ranking": {"by": [metric]},
        "submissions": {"takes": ["csv"]},
        "contacts": {"owner": "a@example.org"},
        "closes": CLOSES,
        "parameters": {"target": "y", "metrics": [metric], "rows": ROWS} | parameters,
    }
    files = {"benchmark.yaml": yaml.safe_dump(definition | (keys or {})).encode(), "truth.csv": truth.encode()}
    answers = {"truth.json": "Paris", "private.json": "Rome"}
    questions = {name: json.dumps(QUESTIONS).replace("?", answer).encode() for name, answer in answers.items()}
    return load_bundle(pack(files | questions))


def write(cells: Sequence[object], ids: str = IDS) -> bytes:
    """Return a result with these predictions, in the order of the ids."""
    return "".join(["id,y\n", *(f"{name},{cell}\n" for name, cell in zip(ids, cells, strict=True))]).encode()


def score(benchmark: Benchmark, *cells: object, ids: str = IDS) -> Judgement:
    """Score a result with these predictions."""
    return judge(benchmark, benchmark.prepare_scorer(), write(cells, ids), file_format="csv")


def score_finally(
    benchmark: Benchmark, *cells: object, ids: str = IDS, part: str | None = None
) -> list[tuple[Scores, Scores]]:
    """Return the hidden and the public scores of each part of a result at the final."""
    evaluations = benchmark.reveal().prepare_scorer()(write(cells, ids), part=part)
    return [(each.scores, each.public.scores) for each in evaluations if each.public is not None]


def test_public_rows_are_scored_until_the_final_and_both_sets_at_it() -> None:
    """Rows of neither set are never scored; the final has the hidden scores, and keeps the public ones beside."""
    contest = make()
    given = (2, 4, 6, 99, 11)

    (now,) = score(contest, *given).evaluations

    assert (now.scores, now.public, now.detail) == ({"mae": 1.5}, None, {"rows": 2})
    assert score_finally(contest, *given) == [({"mae": 2.5}, {"mae": 1.5})]
    assert score(contest.reveal(), *given).scores == {"mae": 2.5, "#public/mae": 1.5}


def test_final_reads_a_result_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sets of rows are scored from the table that it is."""
    scorer, reads = make().reveal().prepare_scorer(), count()
    monkeypatch.setattr(submission, "read_table", lambda *given, **need: next(reads) or read_table(*given, **need))

    (evaluation,) = scorer(write([1, 1, 1, 1, 1]))

    assert next(reads) == 1
    assert (evaluation.scores, evaluation.public and evaluation.public.scores) == ({"mae": 4.0}, {"mae": 1.5})


@pytest.mark.parametrize("metric", [name.replace("@k", "@2") for name, facts in METRICS.items() if not facts.many])
def test_each_metric_is_of_the_rows_of_its_set_alone(metric: str) -> None:
    """Each half gets what a truth of its rows alone gives, whatever the other rows say."""
    numbers = METRICS[metric.replace("@2", "@k")].reads in {Reads.NUMBERS, Reads.LISTS}
    truth = [("3", "1"), ("1", "0"), ("2", "1"), ("5", "0"), ("4", "1"), ("8", "0")]
    cells = [each[not numbers] for each in truth]
    usage = ["Public", "Private", "Public", "Private", "Private", "Public"]
    rows = [f"{name},{cell},{half}\n" for name, cell, half in zip("abcdef", cells, usage, strict=True)]
    given = ["2", "1", "2", "4", "4", "9"] if numbers else ["1", "0", "0", "1", "0", "0"]

    ((hidden, public),) = score_finally(make("id,y,Usage\n" + "".join(rows), metric), *given, ids="abcdef")

    for half, scores in (("Public", public), ("Private", hidden)):
        kept = [place for place in range(6) if usage[place] == half]
        alone = make("id,y\n" + "".join(rows[place].rpartition(",")[0] + "\n" for place in kept), metric, rows=None)
        names = "".join("abcdef"[place] for place in kept)
        assert scores == score(alone, *(given[place] for place in kept), ids=names).scores


def test_two_hidden_halves_are_one_version_until_the_final() -> None:
    """What is hidden decides no version but that of the final."""
    other = TRUTH.replace("b,2", "b,77").replace("e,8", "e,0.5").replace("d,,", "d,note,")
    contests = [make(), make(other)]

    assert len({each.version for each in contests}) == 1
    assert len({each.version for each in (*contests, *(each.reveal() for each in contests))}) == 3
    assert make(TRUTH.replace("c,4", "c,5")).version != contests[0].version


@pytest.mark.parametrize(
    ("cells", "ids", "message"),
    [
        ((1, "x", 3, 4, 5), IDS, "row 3, column 'y': expected a number, found 'x'"),
        ((1, 2, 3, 4), "abce", "a row is missing, of the id 'd'"),
        ((1, 2, 3, 4, 5), "abcdb", "row 6, column 'id': 'b' is there twice, first in row 3"),
    ],
)
def test_mistakes_are_named_in_rows_of_any_set(cells: tuple[object, ...], ids: str, message: str) -> None:
    """Ids and cells are checked over all rows, so that no mistake tells in which set a row is."""
    assert message in score(make(), *cells, ids=ids).message


@pytest.mark.parametrize("metric", ["accuracy", "exact_match", "mae"])
def test_answers_to_hidden_rows_change_nothing_that_a_player_sees(metric: str) -> None:
    """Scores, details and messages of a result are the same whatever it says of hidden rows."""
    contest = make(metric=metric)

    assert score(contest, 1, 2, 3, 4, 5) == score(contest, 1, 9e99, 3, 7, 8)


def test_parts_have_rows_of_both_sets() -> None:
    """Each part is scored by its own rows of a set; one without any is the owner's mistake."""
    truth = "id,y,Usage,by\na,1,Public,p\nb,2,Private,p\nc,4,Public,q\ne,8,Private,q\n"
    contest = make(truth, by="by")

    assert score_finally(contest, 2, 4, ids="ab", part="p") == [({"mae": 2}, {"mae": 1})]
    with pytest.raises(BenchmarkError, match="ground truth: no row of the part 'q' is scored at the final"):
        make(truth.replace("8,Private", "8,Ignored"), by="by")


def test_file_with_the_hidden_truth() -> None:
    """A scorer without rows has its hidden truth in a second file, which is scored at the final."""
    hidden = {"scorer": "squad_v2", "ground_truth": "truth.json", "submissions": {}, "parameters": {}}
    contest = make(metric="exact", keys=hidden | {"final": {"ground_truth": "private.json"}})

    (evaluation,) = contest.reveal().prepare_scorer()(b'{"q": "Paris"}')

    assert evaluation.scores["exact"] == 0.0
    assert evaluation.public is not None
    assert evaluation.public.scores["exact"] == 100.0
    assert contest.reveal().version != contest.version


def test_rows_without_final_are_a_final_by_hand() -> None:
    """Without `final` there is no time, and what counts is what `keep` says; without hidden rows there is none."""
    assert make().definition.final == FinalRules()
    assert make(rows={"column": "Usage", "now": "Public"}).definition.final is None


@pytest.mark.parametrize(
    ("keys", "parameters", "message"),
    [
        ({"final": {}}, {"rows": None}, "final: expected rows.final in parameters, which rows scorer table"),
        ({"final": {}}, {"rows": {"column": "Usage", "now": "Public"}}, "final: expected rows.final in parameters"),
        ({"final": {}, "scorer": "squad_v2", "submissions": {}}, {}, "final: expected ground_truth, the file that is"),
        ({"final": {"counts": "mean"}}, {}, "final.counts: expected 'best' or 'latest', found 'mean'"),
        ({"final": {"counts": "best"}, "ranking": {"keep": "sum", "by": ["mae"]}}, {}, "final.counts: with keep: sum"),
        ({"final": {"at": "2026-12-22T10:59:59Z"}}, {}, "final.at: expected a time from closes on, 2026-12-22"),
        ({"final": {"at": CLOSES}, "closes": None}, {}, "final.at: expected a time from closes on, None"),
        ({"final": {"time": CLOSES}}, {}, "final.time: unknown key"),
        ({}, {"rows": ROWS | {"final": "PUBLIC"}}, "rows: expected two values, found 'public' as now and as final"),
        ({}, {"rows": ROWS | {"final": "Hidden"}}, "column 'Usage': expected 'Hidden' in some row, found"),
        ({}, {"rows": ROWS | {"column": "y"}}, "rows.column: 'y' is the id or a target; expected a column of its own"),
        ({}, {"rows": {"column": "Usage"}}, "rows.now: missing"),
        ({}, {"feedback": "items"}, "feedback: items names the rows that are scored"),
    ],
)
def test_mistakes_of_a_contest(keys: dict[str, Any], parameters: dict[str, Any], message: str) -> None:
    """Each mistake in `final` and `rows` is one sentence: key, expected, found."""
    with pytest.raises(BenchmarkError) as caught:
        make(keys=keys, **parameters)

    assert message in caught.value.message


def test_mistake_in_a_hidden_row_is_found_when_the_folder_is_loaded() -> None:
    """A wrong answer in a hidden row is not found at the final, but when it is checked."""
    with pytest.raises(BenchmarkError, match="row 6, column 'y': expected a number, found 'x'"):
        make(TRUTH.replace("e,8", "e,x"))
