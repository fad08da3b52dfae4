"""Accuracy as MMMU's main_eval_only.py has it: eval_utils.py, which it imports, is MMMU's own, put beside this file."""

import json
import sys
from collections import defaultdict
from pathlib import Path

from eval_utils import calculate_ins_level_acc, evaluate, parse_open_response

truth = json.loads(Path(__file__).with_name("truth.json").read_text())
subjects = defaultdict(list)
for name, given in json.loads(Path(sys.argv[1]).read_text()).items():
    if name not in truth:
        print(f"{name}: expected the id of a question")
        sys.exit(2)
    kind, answer = truth[name]["question_type"], truth[name]["ground_truth"]
    pred = given if kind == "multiple-choice" else parse_open_response(given)
    item = {"id": name, "question_type": kind, "answer": answer, "parsed_pred": pred}
    subjects["_".join(name.split("_")[1:-1])].append(item)
results = {name: {**evaluate(items)[1], "num_example": len(items)} for name, items in subjects.items()}
means = [each["acc"] for each in results.values()]
print(json.dumps({"Overall": calculate_ins_level_acc(results), "Subjects": sum(means) / len(means)}))
