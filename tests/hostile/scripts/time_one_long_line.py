# evaluator_error: printed more than 1 MiB
print("x" * 40_000_000)
