# scored {"score": 1}
import sys

for _ in range(200_000):
    sys.stderr.write("a stream of words\n")
print('{"score": 1}')
