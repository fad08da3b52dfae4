# ruff: noqa: INP001  # an evaluation script stands alone
"""Scores one result: how many of its answers are right.

evaluate.py RESULT      prints the metrics as JSON; exits with 2, and says why, if the player must fix the result
"""

import json
import sys
from pathlib import Path


def main() -> None:
    """Score the result that the command line names."""
    truth = json.loads(Path(__file__).with_name("truth.json").read_text(encoding="utf-8"))
    result = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    answers = result.get("answers") if isinstance(result, dict) else None
    if not isinstance(answers, dict):
        sys.stdout.write('expected {"answers": {question: answer, …}}\n')
        sys.exit(2)
    unknown = [question for question in answers if question not in truth]
    if unknown:
        sys.stdout.write(f"unknown question: {unknown[0]!r}\n")
        sys.exit(2)
    right = sum(answers.get(question) == answer for question, answer in truth.items())
    json.dump({"Right": 100 * right / len(truth)}, sys.stdout)


if __name__ == "__main__":
    main()
