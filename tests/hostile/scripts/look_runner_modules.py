# scored {"score": 1}
# The runner is a package, but no script can import it.
import importlib
import os
import sys

seen = [name for name in sys.modules if name.partition(".")[0] == "runner"]
folder = next(path for path in ("/runner", "/var/task/runner") if os.path.isdir(path))
seen += [path for path in sys.path if path in (folder, os.path.dirname(folder))]
for name in ("runner", "runner.protocol", *(file.removesuffix(".py") for file in os.listdir(folder))):
    if not name.startswith("__"):
        try:
            seen.append(importlib.import_module(name))
        except ImportError:
            pass
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
