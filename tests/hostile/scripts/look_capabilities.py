# scored {"score": 1}
lines = dict(line.rstrip().split(":\t", 1) for line in open("/proc/self/status") if line.count(":\t") == 1 and line.strip()[-1] != ":")
seen = [(name, value) for name, value in lines.items() if name.startswith("Cap") and int(value, 16)]
seen += [("NoNewPrivs", lines["NoNewPrivs"])] if lines["NoNewPrivs"] != "1" else []
seen += [("Seccomp", lines["Seccomp"])] if lines["Seccomp"] != "2" else []
seen += [("Uid", lines["Uid"])] if lines["Uid"].split() not in (["65534"] * 4, ["993"] * 4) else []
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
