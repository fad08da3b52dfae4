# scored {"score": 1} twice
# Two runs of one warm interpreter must not draw the same numbers.
import random

import numpy

drawn = numpy.random.rand(), random.random()
if drawn == (0.0, 0.0):
    seen.append(drawn)
