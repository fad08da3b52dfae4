# scored {"score": 1}
# Several children share the packages; together they are far below the limit.
import os
import time

import numpy as np
import pandas as pd

for _ in range(8):
    if os.fork() == 0:
        frame = pd.DataFrame({"x": np.arange(1000.0), "y": np.arange(1000.0) * 2})
        slope = frame["x"].cov(frame["y"]) / frame["x"].var()
        time.sleep(0.3)
        os._exit(0 if round(slope) == 2 else 1)
assert not any(os.wait()[1] for _ in range(8))
print('{"score": 1}')
