"""Published figures of `full_duplex` (docs/sources.md, "Full duplex")."""

import pytest

from scoring_core.scorers.full_duplex import SCORE_NAMES
from scoring_core.scorers.full_duplex.scoring import score
from scoring_core.scorers.full_duplex.submission import FILE_NAMES, INTERRUPTION, REJECTION, FileField, FileName

REJECT_FIGURES = {
    "Speech Directed at Others": (0.235, 1.8),
    "Third-party Speech_after": (0.34, 1.72),
    "User Real-time Backchannels": (0.765, 1.536),
    "Pause Handling": (0.83, 1.826),
    "Third-party Speech_before": (0.0, 0),
}


def published_example() -> dict[FileName, dict[FileField, float]]:
    """Build a result with the means of the published `all.json`, each language a little off its mean."""
    measures: dict[FileName, dict[FileField, float]] = {}
    for language, category in FILE_NAMES:
        off = 0.125 if language == "cn" else -0.125
        if category in INTERRUPTION:
            measures[language, category] = {
                FileField.RESPOND: 0.897 + off / 2,
                FileField.STOP: 1.106 + off,
                FileField.RESPONSE: 2.461 - off,
                FileField.FIRST_DELAY: 1.679 + off,
            }
        else:
            figure, delay = REJECT_FIGURES[category]
            spread = off if figure else 0
            measures[language, category] = {REJECTION[category]: figure + spread, FileField.FIRST_DELAY: delay + spread}
    return measures


def test_scores_as_published() -> None:
    """The six scores of section 1 come out as the totals of section 6; the two delays that it rounds, when rounded."""
    scores = score(published_example()).scores

    assert {name: round(value, 3 if "Delay" in name else 12) for name, value in scores.items()} == {
        "Interruption Total Score": 89.7,
        "Rejection Total Score": 50.0,
        "First Response Delay": 1.528,
        "avg_latency_stop": 1.106,
        "avg_latency_resp": 2.461,
        "Total Delay": 1.698,
    }
    assert scores.keys() == set(SCORE_NAMES)


def test_zeros_count_in_the_first_response_delay() -> None:
    """First Response Delay is the plain mean of all 20 delays; without the two zeros it would be 1.697."""
    expected = (10 * 1.679 + 2 * (1.8 + 1.72 + 1.536 + 1.826 + 0)) / 20

    assert score(published_example()).scores["First Response Delay"] == pytest.approx(expected, rel=1e-14)


def test_detail_is_the_published_all_json() -> None:
    """The detail has the published `all.json`: its names, its nesting and, rounded as there, its numbers."""
    detail = score(published_example()).detail

    assert rounded(detail["all.json"]) == {
        "interrupt": {
            "Interruption Total Score": 89.7,
            "avg_latency_stop": 1.106,
            "avg_latency_resp": 2.461,
            "avg_first_time_delay": 1.679,
        },
        "reject": {
            "Speech Directed at Others": {"average_RESUME_score": 0.235, "avg_first_time_delay": 1.8},
            "Third-party Speech_after": {"average_RESUME_score": 0.34, "avg_first_time_delay": 1.72},
            "User Real-time Backchannels": {"average_RESUME_score": 0.765, "avg_first_time_delay": 1.536},
            "Pause Handling": {"reject_rate": 0.83, "avg_first_time_delay": 1.826},
            "Third-party Speech_before": {"reject_rate": 0.0, "avg_first_time_delay": 0},
        },
        "First Response Delay": 1.528,
        "Interruption Total Score": 89.7,
        "Rejection Total Score": 50.0,
        "Total Delay": 1.698,
    }


def rounded(value: object) -> object:
    """Round every number of a JSON value to the three decimals of the source."""
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    return round(value, 3) if isinstance(value, float) else value
