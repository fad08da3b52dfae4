# scored {"score": 1}
import os

seen = []
for name in os.listdir("/proc"):
    if name.isdecimal() and int(name) != os.getpid():
        try:
            seen += [(name, line) for line in open(f"/proc/{name}/environ").read().split("\0") if line]
        except OSError:
            pass
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
