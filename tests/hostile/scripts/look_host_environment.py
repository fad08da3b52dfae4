# scored {"score": 1}
import os

seen = set()
for name in os.listdir("/proc"):
    if name.isdecimal() and int(name) != os.getpid():
        try:
            variables = (line.partition("=") for line in open(f"/proc/{name}/environ").read().split("\0"))
            seen.update(variable for variable, _, value in variables if value)
        except OSError:
            pass
if seen:
    raise SystemExit(f"the script saw {sorted(seen)!r}")
print('{"score": 1}')
