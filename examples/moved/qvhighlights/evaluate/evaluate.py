"""The brief metrics of moment_detr's standalone_eval, a folder that is put beside this file unchanged."""

import contextlib
import io
import json
import sys
from functools import partial
from pathlib import Path

from standalone_eval import eval as public
from standalone_eval.utils import load_jsonl

with_workers = public.compute_mr_ap
public.compute_mr_ap = lambda *given, **_: with_workers(*given, num_workers=1)  # a sandbox has no pools of processes
public.compute_hl_ap = partial(public.compute_hl_ap, num_workers=1)
SHOWN = "MR-full-mAP MR-full-mAP@0.5 MR-full-mAP@0.75 MR-full-R1@0.5 MR-full-R1@0.7"
SHOWN += " HL-min-VeryGood-mAP HL-min-VeryGood-Hit1"
result, truth = map(load_jsonl, (sys.argv[1], Path(__file__).with_name("truth.jsonl")))
with contextlib.redirect_stdout(io.StringIO()):
    brief = public.eval_submission(result, truth, verbose=False)["brief"]
print(json.dumps({name: brief[name] for name in SHOWN.split()}))
