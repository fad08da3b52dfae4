# evaluator_error: 
import sys

sys.setrecursionlimit(10**9)


def fall():
    fall()


fall()
