# scored {"score": 1}
# Between its birth and its program a child is the script once more, memory and all; it takes none of its own.
import subprocess

held = bytearray(b"x") * (84 << 20)
for _ in range(400):
    assert subprocess.run(["/bin/true"]).returncode == 0
print('{"score": %d}' % (len(held) > 0))
