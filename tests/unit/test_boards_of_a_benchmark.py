"""Which submissions a board takes, and what is wrong with a list of boards."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring_core.benchmarks.board_faults import MAX_BOARDS, find_board_faults
from scoring_core.benchmarks.boards import MAIN, RowId, list_boards, read_row_id
from scoring_core.benchmarks.definition import Definition, RowKind
from scoring_core.benchmarks.loading import load_folder
from scoring_core.errors import BenchmarkError
from scoring_core.metrics.score_type import Direction

PARTS = ["level-1", "level-2", "level-3"]


def define(game: dict[str, Any], *boards: dict[str, Any], **changes: Any) -> Definition:
    """Return the game with three levels and these boards, each with a title."""
    titled = [{"title": "A title", **board} for board in boards]
    return Definition.model_validate({**game, "parts": PARTS, "boards": titled, **changes})


def find_faults(definition: Definition) -> list[str]:
    """Return what is wrong with the boards."""
    return list(find_board_faults(definition, definition.parts))


def test_main_board_takes_everything(game: dict[str, Any]) -> None:
    """Without `boards:` there is the main board alone, with all parts and metrics."""
    definition = define(game)

    (main,) = list_boards(definition, PARTS)

    assert (main.id, main.title, main.parts) == (MAIN, None, tuple(PARTS))
    assert main.takes(kind="model", parts=["level-2"])
    assert main.takes(kind="human", parts=[None])
    assert main.score_type is definition.score_type


@pytest.mark.parametrize(
    ("board", "kind", "part", "takes"),
    [
        ({"parts": ["level-1"]}, "human", "level-1", True),
        ({"parts": ["level-1"]}, "human", "level-2", False),
        ({"when": {"kind": "human"}}, "model", "level-2", False),
        ({"parts": ["level-1", "level-3"], "when": {"kind": "model"}}, "model", "level-3", True),
    ],
)
def test_board_takes_what_fits_its_parts_and_condition(
    game: dict[str, Any], board: dict[str, Any], kind: str, part: str, *, takes: bool
) -> None:
    """A board takes a submission with one of its parts, of its kind of players."""
    _, other = list_boards(define(game, {"id": "other", **board}), PARTS)

    assert other.takes(kind=kind, parts=[part]) is takes


def test_board_inherits_what_it_leaves_out(game: dict[str, Any]) -> None:
    """Ranking and metrics are those of the main board, parts in its order; only what is written differs."""
    definition = define(game, {"id": "ends", "parts": ["level-3", "level-1"]})

    main, ends = list_boards(definition, PARTS)

    assert ends.parts == ("level-1", "level-3")
    assert ends.ranking == main.ranking
    assert ends.score_type.names == main.score_type.names


def test_board_ranks_and_shows_on_its_own(game: dict[str, Any]) -> None:
    """A computed metric can be shown without the metrics that it is computed from."""
    game["score_type"]["headers"].append({"name": "Pace", "type": "float", "expression": "Coins / Time"})
    board = {"id": "pace", "metrics": ["Pace"], "ranking": {"by": ["Pace"], "keep": "latest"}}

    _, pace = list_boards(define(game, board), PARTS)

    assert pace.score_type.names == ("Pace",)
    assert pace.rules.ranking.keep == "latest"
    assert pace.rules.primary_direction is Direction.HIGHER


def test_digest_of_rules_differs_only_where_folding_does(game: dict[str, Any]) -> None:
    """Two boards that differ in their condition alone fold alike; other parts fold otherwise."""
    definition = define(game, {"id": "humans", "when": {"kind": "human"}}, {"id": "l1", "parts": ["level-1"]})

    main, humans, level = list_boards(definition, PARTS)

    assert humans.rules.digest == main.rules.digest
    assert level.rules.digest != main.rules.digest


def test_selection_differs_if_other_rows_would_come_out(game: dict[str, Any]) -> None:
    """Parts, condition and kind of rows select; title, ranking and metrics do not."""
    humans: dict[str, Any] = {"id": "humans", "when": {"kind": "human"}}
    others = [
        {"id": "humans", "when": {"kind": "model"}},
        {**humans, "parts": ["level-1"]},
        {**humans, "ranking": {"by": ["Coins"], "rows": "label"}},
    ]
    _, board = list_boards(define(game, humans), PARTS)

    _, retitled = list_boards(define(game, {**humans, "title": "People", "ranking": {"by": ["Time"]}}), PARTS)
    changed = [list_boards(define(game, other), PARTS)[1] for other in others]

    assert board.selects_as(retitled)
    assert not any(board.selects_as(other) for other in changed)


@pytest.mark.parametrize(
    ("player", "label", "text"),
    [
        ("ada", "step 12", "ada/step%2012"),
        ("ada", "org/model#3", "ada/org%2Fmodel%233"),
        ("ada", "a-b_c.d~e!*'()", "ada/a-b_c.d~e!*'()"),
        ("ada", "模型", "ada/%E6%A8%A1%E5%9E%8B"),
        ("ada", None, "ada/"),
    ],
)
def test_row_of_a_label_is_named_as_in_the_browser(
    game: dict[str, Any], player: str, label: str | None, text: str
) -> None:
    """A row id is the player, a slash, and what encodeURIComponent makes of the label; it can be read again."""
    definition = define(game, ranking={"by": ["Coins"], "rows": "label"})
    (main,) = list_boards(definition, PARTS)

    row = main.find_row(player, label)

    assert str(row) == text
    assert read_row_id(text) == row == RowId(player, label or "")


def test_row_of_a_player_has_no_label(game: dict[str, Any]) -> None:
    """Where rows are players, all labels of a player count for the same row."""
    (main,) = list_boards(define(game), PARTS)

    assert str(main.find_row("ada", "step 12")) == "ada"
    assert read_row_id("ada") == RowId("ada")


@pytest.mark.parametrize(("rows", "baselines"), [("player", ("ada",)), ("label", ("ada/step%201", "ada/", "ada/b"))])
def test_baselines_are_rows(game: dict[str, Any], rows: str, baselines: tuple[str, ...]) -> None:
    """A name with a label is that row; one without is the player's row, or that of no label. Each is there once."""
    game["ranking"]["rows"] = rows
    (board,) = list_boards(define(game), ())

    assert board.find_baselines(["ada/step 1", "ada", "ada/b", "ada"]) == baselines


def test_labels_are_taken_where_any_board_shows_them(game: dict[str, Any]) -> None:
    """One board with a row for each label is enough."""
    label = {"by": ["Coins"], "rows": RowKind.LABEL}

    assert not define(game, {"id": "l1", "parts": ["level-1"]}).takes_labels
    assert define(game, ranking=label).takes_labels
    assert define(game, {"id": "runs", "ranking": label}).takes_labels


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ({"id": "main", "parts": ["level-1"]},
         "boards[0].id: 'main' is reserved: every benchmark has that board already"),
        ({"id": "l1", "parts": ["level1"]},
         "boards[0].parts[0]: 'level1' is no part of this benchmark; did you mean 'level-1'?"),
        ({"id": "l1", "parts": ["level-1", "level-1"]}, "boards[0].parts[1]: 'level-1' is there twice"),
        ({"id": "time", "metrics": ["Tim"]},
         "boards[0].metrics[0]: 'Tim' is no metric of score_type; did you mean 'Time'?"),
        ({"id": "time", "ranking": {"by": ["time"]}},
         "boards[0].ranking.by[0]: 'time' is no metric of score_type; did you mean 'Time'?"),
        ({"id": "time", "metrics": ["Time"], "ranking": {"by": ["Time", "Coins"]}},
         "boards[0].metrics: expected 'Coins' too, for it decides the ranking of this board"),
        ({"id": "again"},
         "boards[0]: expected parts, when, ranking or metrics; without them it is the main board again"),
    ],
)  # fmt: skip
def test_fault_of_a_board(game: dict[str, Any], board: dict[str, Any], message: str) -> None:
    """Each fault names the key, what was expected and, if there is one, the nearest name."""
    assert message in find_faults(define(game, board))


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ({"id": "Level 1", "title": "x"}, "boards[0].id: expected 1 to 32 of a to z, 0 to 9 and -, the first not -"),
        ({"id": "l1"}, "boards[0].title: missing"),
        ({"id": "l1", "title": "x", "part": ["level-1"]}, "boards[0].part: unknown key; did you mean 'parts'?"),
        ({"id": "l1", "title": "x", "when": {"kinds": "human"}},
         "boards[0].when.kinds: unknown key; did you mean 'kind'?"),
        ({"id": "l1", "title": "x", "when": {"kind": "humans"}},
         "boards[0].when.kind: expected 'human' or 'model', found 'humans'"),
        ({"id": "l1", "title": "x", "ranking": {"by": ["Coins"], "rows": "labels"}},
         "boards[0].ranking.rows: expected 'player' or 'label', found 'labels'"),
        ({"id": "l1", "title": "x", "parts": ["level-7"]},
         "boards[0].parts[0]: 'level-7' is no part of this benchmark; this benchmark has none"),
    ],
)  # fmt: skip
def test_fault_of_a_board_in_a_folder(
    game: dict[str, Any], write_folder: Callable[..., Path], board: dict[str, Any], message: str
) -> None:
    """`laurel check` shows each fault with the file in front."""
    game["boards"] = [board]

    with pytest.raises(BenchmarkError) as caught:
        load_folder(write_folder(game))

    assert caught.value.message.startswith(f"coin-run/benchmark.yaml: {message}")


def test_board_is_there_once(game: dict[str, Any]) -> None:
    """Two boards with one id are a fault."""
    boards = [{"id": "l1", "parts": ["level-1"]}, {"id": "l1", "parts": ["level-2"]}]

    assert find_faults(define(game, *boards)) == ["boards[1].id: the board 'l1' is there twice"]


def test_number_of_boards_is_limited(game: dict[str, Any]) -> None:
    """A benchmark declares at most 50 boards beside the main one."""
    boards = [{"id": f"b{number}", "parts": [PARTS[number % 3]]} for number in range(MAX_BOARDS + 1)]

    assert find_faults(define(game, *boards)) == ["boards: expected at most 50, found 51"]


def test_many_boards_of_different_parts_are_no_fault(game: dict[str, Any]) -> None:
    """With a script a submission has one part, so a board for each of 49 levels takes it once."""
    levels = [f"level-{number}" for number in range(49)]
    boards = [{"id": level, "title": level, "parts": [level]} for level in levels]
    definition = Definition.model_validate({**game, "parts": levels, "boards": boards})

    assert list(find_board_faults(definition, levels)) == []


@pytest.mark.parametrize("kind", ["human", "model"])
def test_too_many_boards_for_a_submission_are_named(game: dict[str, Any], kind: str) -> None:
    """With the main board at most eight take one submission; which combination breaks it is said."""
    boards = [{"id": f"b{number}", "parts": ["level-2"]} for number in range(6)]
    fits = [*boards, {"id": "b6", "parts": ["level-1"]}]
    excess = [*boards, {"id": "b6", "when": {"kind": kind}}, {"id": "b7", "parts": ["level-2"], "when": {"kind": kind}}]

    assert find_faults(define(game, *fits)) == []
    (fault,) = find_faults(define(game, *excess))
    assert fault == (
        f"boards: expected at most 8 that take one submission, found 9 that take a {kind}'s for the part 'level-2': "
        "main, b0, b1, b2, b3, b4, b5, b6, b7"
    )


def test_built_in_scorer_may_score_all_parts_at_once(game: dict[str, Any]) -> None:
    """So the boards of all parts together count."""
    levels = [f"q{number}" for number in range(8)]
    boards = [{"id": level, "title": level, "parts": [level]} for level in levels]
    definition = Definition.model_validate({**game, "scorer": "event_decay", "parts": levels, "boards": boards})

    (fault,) = find_board_faults(definition, levels)

    assert fault.startswith("boards: expected at most 8 that take one submission, found 9 that take a human's: main, ")
