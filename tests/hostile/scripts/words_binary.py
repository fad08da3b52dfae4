# evaluator_error: stdout: expected one JSON object
import sys

sys.stdout.buffer.write(bytes(range(256)))
