# scored {"score": 1}
# -*- coding: latin-1 -*-
print('{"score": 1}')  # café
