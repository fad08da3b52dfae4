"""The final of a contest, computed on its owner's machine from the results and the folder."""

import csv
import io
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import starmap
from typing import Any, Final

from sandbox.bubblewrap import Sandbox
from scoring_core.benchmarks.boards import list_boards
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.judgement import judge
from scoring_core.ranking.accumulators import FoldingRules, PartScores, ScoredSubmission, fold_standing
from scoring_core.ranking.part_columns import DONE
from scoring_core.ranking.standings import NO_PART, PlaceKey, RankOrder, Standing, read_public

NAMELESS: Final = frozenset({"guest", "guest-model"})


def read_results(files: Iterable[str], bans: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, str], bytes]]:
    """Yield what the list says of each submission of the final, and its raw result.

    Those of a frozen board are among them, since the final releases them. A banned name is left out as it is spelled.
    """
    banned = {each["player"] or each["name"] for each in bans}
    for file in files:
        with zipfile.ZipFile(file) as archive:
            table = io.StringIO(archive.read("submissions.csv").decode("utf-8-sig"))
            stored = {*archive.namelist()}
            for each in csv.DictReader(table):
                name = f"results/{each['submission']}.{each['format']}"
                is_scored = each["status"] == "scored" or each["frozen"] == "true"
                is_out = "true" in {each["withdrawn"], each["late"]} or not banned.isdisjoint(
                    {each["player"], each["name"]}
                )
                if is_scored and not is_out and name in stored:
                    yield each, archive.read(name)


def list_final(
    benchmark: Benchmark, results: Iterable[tuple[Mapping[str, str], bytes]], sandbox: Sandbox
) -> list[dict[str, Any]]:
    """Return the rows of the main board in the order of its final.

    Each has rank and value by the public rows, and by the hidden ones.
    """
    final = benchmark.reveal()
    scorer = final.prepare_scorer(sandbox)
    board = list_boards(final.definition, final.parts)[0]
    names: dict[str, str] = {}
    given: dict[str, dict[str, PartScores]] = defaultdict(dict)
    for each, body in results:
        name, part = each["submission"], each["part"] or None
        judged = judge(final, scorer, body, part=part, file_format=each["format"], submission=name)
        if each["player"] not in NAMELESS:
            row = str(board.find_row(each["player"], each["label"] or None))
            names[row] = " · ".join(filter(None, (each["name"], each["label"])))
            scores = {evaluation.part or NO_PART: evaluation.scores for evaluation in judged.evaluations}
            given[row][each["submission"]] = scores
    public = {
        row: {id_: {part: read_public(own) for part, own in scores.items()} for id_, scores in tries.items()}
        for row, tries in given.items()
    }
    public_rules = list_boards(benchmark.definition, benchmark.parts)[0].rules
    before, after = rank_rows(public_rules, public), rank_rows(board.rules, given)
    metric = benchmark.definition.ranking.by[0]
    return [
        {
            "name": names[row],
            "label": None,
            "rank_before": before[row][0],
            "rank_after": rank,
            "value_before": before[row][1].scores.get(metric),
            "value_after": standing.scores.get(metric),
        }
        for row, (rank, standing) in after.items()
    ]


def rank_rows(rules: FoldingRules, given: Mapping[str, Mapping[str, PartScores]]) -> dict[str, tuple[int, Standing]]:
    """Return row → rank and standing of a board, in order.

    Args:
        rules: Those of the board.
        given: Row → submission → part → scores.
    """
    order = RankOrder.of(rules.ranking, rules.score_type, has_parts=bool(rules.parts))
    folded = {row: fold_standing(starmap(ScoredSubmission, tries.items()), rules) for row, tries in given.items()}
    rows = sorted(
        (order.place({**each.scores, DONE: each.done or 0}, each.submission, row), each)
        for row, each in folded.items()
        if each
    )
    ranks: dict[PlaceKey, int] = {}
    for number, (place, _) in enumerate(rows, 1):
        ranks.setdefault(place.key, number)
    return {place.row: (ranks[place.key], standing) for place, standing in rows}
