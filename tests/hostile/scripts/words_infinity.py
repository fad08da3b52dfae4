# evaluator_error: stdout: expected one JSON object
print('{"score": -Infinity}', end='')
