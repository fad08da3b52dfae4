# evaluator_error: missing 'score'
print('{}', end='')
