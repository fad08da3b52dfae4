# evaluator_error: below the minimum 0
print('{"score": -1}', end='')
