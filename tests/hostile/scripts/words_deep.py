# evaluator_error: stdout: expected one JSON object
print("[" * 2000 + "]" * 2000)
