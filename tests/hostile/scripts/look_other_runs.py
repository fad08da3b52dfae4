# scored {"score": 1}
import os
import sys

own = os.path.basename(os.getcwd())
seen = [name for name in os.listdir("/tmp") if name != own]
folders = {os.path.dirname(path) for path in sys.argv}
seen += [name for name in os.listdir("/run/inputs") if os.path.join("/run/inputs", name) not in folders]
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
