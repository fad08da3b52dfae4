# scored {"score": 1}
# What the host's processes listen on under abstract names is listed here, were it the host's network.
seen = open("/proc/net/unix").read().splitlines()[1:]
seen = [line for line in seen if "@" in line]
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
