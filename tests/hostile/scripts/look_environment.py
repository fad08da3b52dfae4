# scored {"score": 1}
import os
import subprocess
import sys

seen = sorted(set(os.environ) - {"PATH", "LANG"})
seen += [line for line in open("/proc/self/environ").read().split("\0") if line and line.split("=")[0] not in ("PATH", "LANG")]
child = subprocess.run([sys.executable, "-I", "-c", "import os; print(*os.environ)"], capture_output=True, text=True)
seen += sorted(set(child.stdout.split()) - {"PATH", "LANG", "LC_CTYPE"})
if child.returncode:
    seen.append(child.stderr)
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
