# scored {"score": 1} twice
# Compiled code laid where a later import would prefer it to the source.
import importlib.util
import py_compile

open("/tmp/wrong.py", "w").write("canary = True")
for name in ("json", "statistics", "numpy"):
    target = importlib.util.cache_from_source(importlib.util.find_spec(name).origin)
    for path in (target, f"__pycache__/{os.path.basename(target)}", f"/tmp/__pycache__/{os.path.basename(target)}"):
        try:
            py_compile.compile("/tmp/wrong.py", cfile=path, doraise=True)
        except OSError:
            pass
    if hasattr(__import__(name), "canary"):
        seen.append(name)
