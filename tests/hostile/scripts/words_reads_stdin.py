# scored {"score": 1}
import sys

if sys.stdin.read():
    raise SystemExit(3)
print('{"score": 1}')
