# scored {"score": 1}
# What an honest script may well use still works beside the walls.
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile


async def wait_for_child():
    child = await asyncio.create_subprocess_exec("true")
    return await child.wait()


assert asyncio.run(wait_for_child()) == 0
shutil.copy2(__file__, "copy")
shutil.copytree(os.path.dirname(__file__), "tree")
os.nice(1)
os.sched_setaffinity(0, os.sched_getaffinity(0))
assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, check=True).stdout == b"1\n"
with tempfile.TemporaryFile() as file:
    file.write(b"x")
print('{"score": 1}')
