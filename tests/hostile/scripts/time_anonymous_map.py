# evaluator_error: 
# A shared anonymous map belongs to no file and, once touched, to every process.
import mmap

held = mmap.mmap(-1, 1 << 30)
for page in range(0, 1 << 30, 4096):
    held[page] = 1
print('{"score": 1}')
