# evaluator_error: exited with code 3
print('{"score": 1}')
raise SystemExit(3)
