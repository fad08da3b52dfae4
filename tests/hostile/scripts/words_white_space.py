# scored {"score": 1}
print('\n\t {"score": 1}\r\n', end='')
