# scored {"score": 1}
import resource

for name in ("AS", "CPU", "FSIZE", "NPROC", "NOFILE", "CORE"):
    which = getattr(resource, f"RLIMIT_{name}")
    hard = resource.getrlimit(which)[1]
    if hard == resource.RLIM_INFINITY:
        seen.append((name, "unlimited"))
    try:
        resource.setrlimit(which, (hard + 1, hard + 1))
        seen.append((name, "raised"))
    except (OSError, ValueError):
        pass
