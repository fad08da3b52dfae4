# evaluator_error: unknown 'other'
print('{"score": 1, "other": 1}', end='')
