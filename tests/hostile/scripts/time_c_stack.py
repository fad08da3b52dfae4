# evaluator_error: 
import ctypes
import sys

sys.setrecursionlimit(10**9)
signature = ctypes.CFUNCTYPE(None)


def fall():
    falling()


falling = signature(fall)
fall()
