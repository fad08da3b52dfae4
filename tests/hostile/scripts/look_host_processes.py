# scored {"score": 1}
# Its own, the one above it and the one it was forked from: nothing else is there.
import os

seen = []
for name in os.listdir("/proc"):
    if name.isdecimal() and int(name) not in (1, os.getppid(), os.getpid()):
        state = open(f"/proc/{name}/stat").read().rpartition(")")[2].split()[0]
        if state != "Z":
            seen.append(name)
if len(seen) > 1:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
