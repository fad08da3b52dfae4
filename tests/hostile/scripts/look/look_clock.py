# scored {"score": 1}
import time

expect_refusal("set the clock", time.clock_settime, time.CLOCK_REALTIME, 0)
expect_refusal("set the host's name", __import__("socket").sethostname, "mine")
