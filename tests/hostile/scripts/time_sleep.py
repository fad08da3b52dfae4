# evaluator_error: ran out of time
import time

time.sleep(3600)
