# scored {"score": 1}
import os
import sys

own = os.path.basename(os.getcwd())
seen = [name for name in os.listdir("/tmp") if name != own]
folders = {os.path.dirname(path) for path in sys.argv}
inputs = os.path.dirname(os.path.dirname(sys.argv[1]))
seen = [name for name in {*seen, *os.listdir(inputs)} - {own} if os.path.join(inputs, name) not in folders]
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
