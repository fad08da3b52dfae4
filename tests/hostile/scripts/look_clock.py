# scored {"score": 1}
import os

seen = []


def expect_refusal(name, call, *arguments, **options):
    try:
        found = call(*arguments, **options)
    except OSError:
        return
    seen.append(name)



import time

expect_refusal("set the clock", time.clock_settime, time.CLOCK_REALTIME, 0)
expect_refusal("set the host's name", __import__("socket").sethostname, "mine")
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
