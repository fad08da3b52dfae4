# evaluator_error: stdout: expected one JSON object
print('scores:\n{"score": 1}', end='')
