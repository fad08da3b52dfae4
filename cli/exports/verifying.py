"""Verifies an export without its site: the hashes, and where the truth is there each score and rank."""

import csv
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from cli.boards.finals import NAMELESS, rank_rows
from cli.exit_codes import CommandError
from cli.exports.folder import MANIFEST, read_manifest
from sandbox.bubblewrap import Sandbox
from sandbox.runtimes import hash_locks
from scoring_core.benchmarks.boards import Board, RowId, list_boards, list_windows
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.judgement import judge
from scoring_core.metrics.score_type import ScoreType
from scoring_core.metrics.spelling import show_number
from scoring_core.outcome import is_taken_over
from scoring_core.ranking.accumulators import PartScores
from scoring_core.ranking.standings import NO_PART
from scoring_core.scorers.base import Scores

CLOSE: Final = 1e-9
"""How far a score that is made again may be from the recorded one, relative to it."""


@dataclass
class Verification:
    """What is found out about an export.

    Args:
        folder: The export.
        faults: What is wrong, a line each.
        scored: How many submissions were scored again.
        close: How many scores differ by less than CLOSE.
        left: How many submissions were not scored again, because their result is not there.
        believed: How many are rows of an earlier board, which nothing can score again.
    """

    folder: Path
    faults: list[str] = field(default_factory=list)
    scored: int = 0
    close: int = 0
    left: int = 0
    believed: int = 0

    def __post_init__(self) -> None:
        """Read the manifest. Raises CommandError."""
        self.manifest = read_manifest(self.folder)

    def check_copies(self) -> None:
        """Compare what people look at with records and rows.

        These are lists, heads, CSV and the answers of the site's pages.
        """
        scores = {each["submission"]: each["scores"] for each in self._read_lines("records.jsonl")}
        entries = {each["submission"]: each for each in self._read_lines("entries.jsonl")}
        for name, entry in entries.items():
            if not _is_close(entry["scores"], scores.get(name, {})):
                self.faults.append(f"{name}: its scores in entries.jsonl are not those of records.jsonl")
        for name in self.manifest["files"]:
            folder, _, file = name.rpartition("/")
            if file == "rows.jsonl":
                self._check_copies_of_rows(folder)
            for path, answer in self._read_json(name).items() if folder == "site/answers" else ():
                if path.startswith("submissions/"):
                    is_same = _is_close(answer["scores"], scores.get(path.removeprefix("submissions/"), {}))
                else:  # of a player, or a list of a player's submissions
                    listed = answer if path.endswith("/submissions") else ()
                    is_same = all(each == entries.get(each["submission"]) for each in listed)
                if not is_same:
                    self.faults.append(f"{name}: {path} is not as in records.jsonl and entries.jsonl")

    def _check_copies_of_rows(self, folder: str) -> None:
        """Compare head and CSV of a board with its rows."""
        rows, shown = list(self._read_lines(f"{folder}/rows.jsonl")), self._read_json(f"{folder}/head.json")["rows"]
        for at, row in enumerate(rows[: len(shown["submission"])]):
            scores = {name: values[at] for name, values in shown["scores"].items() if name in row["scores"]}
            if (shown["submission"][at], shown["rank"][at], scores) != (row["submission"], row["rank"], row["scores"]):
                self.faults.append(f"{folder}/head.json: {row['name']} is not as in rows.jsonl")
        with self._find(f"{folder}/rows.csv").open(encoding="utf-8-sig", newline="") as file:
            _, *lines = csv.reader(file)
        for row, line in zip(rows, lines, strict=False):
            cells = {row["submission"], *map(str, row["scores"].values())}
            if line[0] != str(row["rank"]) or not cells <= {*line}:
                self.faults.append(f"{folder}/rows.csv: {row['name']} is not as in rows.jsonl")
        if len(lines) != len(rows):
            self.faults.append(f"{folder}/rows.csv: {len(lines)} rows, and {len(rows)} in rows.jsonl")

    def check_scores(self, benchmark: Benchmark, sandbox: Sandbox) -> None:
        """Score each result again, and rank all boards by that. Raises LaurelError.

        Args:
            benchmark: With truth and program.
            sandbox: Runs the program.
        """
        loaded, version = benchmark.pin_runtime(hash_locks()), self.manifest["version"]
        loaded = loaded.reveal() if version == loaded.final_version else loaded
        if loaded.version != version:
            self.faults.append(f"the truth is that of version {loaded.version}, the export is of {version}")
            return
        records = list(self._read_lines("records.jsonl"))
        given = dict(self._score_again(loaded, sandbox, records))
        definition, parts = loaded.definition, loaded.parts
        boards = {board.id: board for board in list_boards(definition, parts)}
        windows = list_windows(definition, parts)
        for name in self.manifest["files"]:
            board = name.removeprefix("boards/").removesuffix("/rows.jsonl")
            if name == f"boards/{board}/rows.jsonl":
                rules = boards.get(board) or next(filter(None, (window.find(board) for window in windows)))
                self._check_board(rules, records, given)

    def _score_again(
        self, benchmark: Benchmark, sandbox: Sandbox, records: list[dict[str, Any]]
    ) -> Iterator[tuple[str, PartScores]]:
        """Yield the scores of each submission, made again where its result is there."""
        scorer, metrics = benchmark.prepare_scorer(sandbox), benchmark.definition.score_type
        # The list of a result in parts, `ID.parts.json`, is none: its stem is not the id.
        stored = {file.stem: file for file in (self.folder / "results").glob("[!.]*")}
        named = {str(each["submission"]): each.get("part") for each in self._read_lines("entries.jsonl")}
        for record in records:
            name = record["submission"]
            recorded = {part["part"]: part["scores"] for part in record.get("parts", ())}
            recorded = recorded or {NO_PART: record["scores"]}
            if (file := stored.get(name)) is None:
                self.left += 1
                yield name, recorded
                continue
            self.believed += is_taken_over(name)
            self.scored += not is_taken_over(name)
            body, form = file.read_bytes(), file.suffix[1:]
            judged = judge(benchmark, scorer, body, part=named[name], file_format=form, submission=name)
            again = {each.part or NO_PART: each.scores for each in judged.evaluations}
            self._compare(name, metrics, judged.scores, record["scores"])
            for part in again.keys() | recorded.keys():
                self._compare(f"{name} {part}", metrics, again.get(part, {}), recorded.get(part, {}))
            yield name, again

    def _check_board(self, board: Board, records: list[dict[str, Any]], given: Mapping[str, PartScores]) -> None:
        """Compare the rows of a board with what the submissions make of it."""
        by_row: dict[str, dict[str, PartScores]] = defaultdict(dict)
        for record in records:
            name, player = record["submission"], record["player"]
            takes = board.takes(name, kind=record["kind"], parts=given[name]) and player not in NAMELESS
            if takes and (board.span is None or board.span.contains(datetime.fromisoformat(record["submitted_at"]))):
                by_row[str(board.find_row(player, record.get("label")))][name] = given[name]
        expected = rank_rows(board.rules, by_row)
        for row in self._read_lines(f"boards/{board.id}/rows.jsonl"):
            about = f"board {board.id}: {row['name']}"
            rank, standing = expected.pop(str(RowId(row["player"], row.get("label"))), (None, None))
            if rank != row["rank"]:
                self.faults.append(f"{about}: rank {row['rank']}; made again it is {rank}")
            if standing and standing.submissions != row["submissions"]:
                self.faults.append(f"{about}: {row['submissions']} submissions; found {standing.submissions}")
            self._compare(about, board.score_type, standing.scores if standing else {}, row["scores"])
        self.faults += [f"board {board.id}: {row} has submissions, and no row" for row in expected]

    def _compare(self, about: str, metrics: ScoreType, again: Scores, recorded: Scores) -> None:
        """Note differences beyond CLOSE, or in what is shown; count the others."""
        for metric in metrics.headers:
            new, old = again.get(metric.name), recorded.get(metric.name)
            if new == old:
                continue
            shown = {show_number(each, metric.decimals, metric.unit) for each in (new, old)}
            if new is not None and old is not None and math.isclose(new, old, rel_tol=CLOSE) and len(shown) == 1:
                self.close += 1
            else:
                self.faults.append(f"{about}: {metric.name} {old}; made again it is {new}")

    def _find(self, name: str) -> Path:
        """Return a file whose hash was compared. Raises CommandError."""
        if name not in self.manifest["files"]:
            raise CommandError(f"{self.folder}: expected {name} among the files of {MANIFEST}")
        return self.folder / name

    def _read_json(self, name: str) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self._find(name).read_bytes())
        return read

    def _read_lines(self, name: str) -> Iterator[dict[str, Any]]:
        with self._find(name).open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def _is_close(shown: Scores, recorded: Scores) -> bool:
    is_close = (math.isclose(shown[name], recorded[name], rel_tol=CLOSE) for name in shown if name in recorded)
    return shown.keys() == recorded.keys() and all(is_close)
