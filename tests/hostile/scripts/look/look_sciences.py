# scored {"score": 1}
import numpy
import pandas
import scipy.optimize

if float(numpy.linalg.det(numpy.eye(3))) != 1.0 or int(pandas.Series([1, 2]).sum()) != 3:
    seen.append("wrong")
if abs(scipy.optimize.brentq(lambda x: x - 2, 0, 5) - 2) > 1e-9:
    seen.append("wrong root")
