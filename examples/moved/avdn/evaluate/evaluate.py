"""SPL, SR and GP of AVDN's env.py, which is put beside this file unchanged; shapely is on the owner's machine."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace as Stub

data = Stub(IterableDataset=object)
sys.modules |= {"cv2": Stub(), "torch": Stub(utils=Stub(data=data))}  # env.py has them for pictures and training
from env import ANDHNavBatch, compute_iou  # noqa: E402  # after these

truth, paths = (json.loads(Path(file).read_text()) for file in (Path(__file__).with_name("truth.json"), sys.argv[1]))
items = {}
for name, true in truth.items():
    if not isinstance(paths, dict) or not paths.get(name):
        print(f"{name}: expected a path, each step four corners [latitude, longitude]")
        sys.exit(2)
    progress = [compute_iou(step, true[-1]) for step in paths[name]]
    steps = [(step, None) for step in paths[name]]
    items[name] = {"instr_id": name, "path_corners": steps, "gt_path_corners": true, "gt_progress": progress}
means, _ = ANDHNavBatch.eval_metrics(ANDHNavBatch.__new__(ANDHNavBatch), items)
print(json.dumps({name: float(means[name.lower()]) for name in ("SPL", "SR", "GP")}))
