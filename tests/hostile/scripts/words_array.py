# evaluator_error: stdout: expected one JSON object
print('[1]', end='')
