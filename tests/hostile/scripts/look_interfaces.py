# scored {"score": 1}
seen = [line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]]
seen = [name for name in seen if name != "lo"]
seen += open("/proc/net/route").read().splitlines()[1:]
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
