# evaluator_error: above the maximum 100
print('{"score": 101}', end='')
