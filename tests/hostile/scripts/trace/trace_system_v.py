# scored {"score": 1} twice
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
if libc.shmget(4711, 4096, 0o1666) >= 0 or libc.msgget(4711, 0o1666) >= 0 or libc.semget(4711, 1, 0o1666) >= 0:
    seen.append("System V")
seen += [name for name in ("shm", "msg", "sem") if len(open(f"/proc/sysvipc/{name}").readlines()) > 1]
