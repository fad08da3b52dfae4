# evaluator_error: stdout: expected one JSON object
print('{"score": 1}\ndone', end='')
