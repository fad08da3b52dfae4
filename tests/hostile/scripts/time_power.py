# evaluator_error: 
print(9**9**9)
