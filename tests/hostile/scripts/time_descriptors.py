# evaluator_error: exited with code 1
import os

files = []
while True:
    files.append(os.open("/dev/null", os.O_RDONLY))
