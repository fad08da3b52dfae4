# scored {"score": 1} twice
# What an earlier run changed in the interpreter, or printed, must not be found in a later one's memory.
import builtins
import re

needle = "-".join(["the", "first", "run", "was", "here"])
if getattr(builtins, "canary", None) or "canary" in json.__dict__:
    seen.append("a changed module")
if first:
    builtins.canary = json.canary = needle
    sys.stderr.write(needle * 100)
else:
    pattern = re.compile(b"the[-]first[-]run[-]was[-]her" + b"ethe")
    with open("/proc/self/mem", "rb", 0) as memory:
        for line in open("/proc/self/maps"):
            start, stop = (int(part, 16) for part in line.split()[0].split("-"))
            if "rw" in line.split()[1]:
                try:
                    memory.seek(start)
                    seen += pattern.findall(memory.read(stop - start))
                except OSError:
                    pass
