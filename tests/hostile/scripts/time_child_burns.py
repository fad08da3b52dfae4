# evaluator_error: ran out of time
import os

child = os.fork()
if child == 0:
    while True:
        pass
os.waitpid(child, 0)
