# evaluator_error: exited with code 1
print('{"score": 1}')  # café
