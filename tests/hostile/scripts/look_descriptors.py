# scored {"score": 1}
import os
import stat

seen = [name for name in os.listdir("/proc/self/fd") if int(name) > 3]
try:
    os.fstat(3)
    seen.append(3)
except OSError:
    pass
kinds = [stat.S_IFMT(os.fstat(number).st_mode) for number in range(3)]
if kinds != [stat.S_IFCHR, stat.S_IFIFO, stat.S_IFIFO]:
    seen.append(kinds)
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
