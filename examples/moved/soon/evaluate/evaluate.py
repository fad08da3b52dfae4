"""The scores of SOON's r2r_src/eval.py, put beside this file as soon_eval.py; its owner has shapely and networkx."""

import json
import sys
from pathlib import Path
from unittest.mock import MagicMock

simulator = ("env", "utils", "agent", "param")
sys.modules |= {name: MagicMock() for name in simulator}  # to which nobody speaks here
import soon_eval  # noqa: E402  # after these

soon_eval.args.compute_bbox = soon_eval.args.one_image = False
truth, paths = (json.loads(Path(file).read_text()) for file in (Path(__file__).with_name("truth.json"), sys.argv[1]))
public = soon_eval.Evaluation.__new__(soon_eval.Evaluation)
public.dataset, public.error_margin, public.splits, public.gt = "SOON", 3.0, ["test"], truth["gt"]
public.distances, public.instr_ids = truth["distances"], set(truth["gt"])
if {each["instr_id"] for each in paths} != public.instr_ids or len(paths) != len(public.instr_ids):
    print("expected one path of each instruction")
    sys.exit(2)
means, _ = public.score(paths)
names = {"SR": "nav_success_rate", "SPL": "spl", "FSPL": "success_rate", "OSR": "oracle_rate"}
print(json.dumps({name: float(means[own]) for name, own in names.items()}))
