# scored {"score": 0}
print('{"score": -0.0}', end='')
