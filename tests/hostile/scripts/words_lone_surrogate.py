# evaluator_error: stdout: expected one JSON object
print('{"\\ud800": 1}', end='')
