# evaluator_error: exited with code 255
print('{"score": 1}')
raise SystemExit(-1)
