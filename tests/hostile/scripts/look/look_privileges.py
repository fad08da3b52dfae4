# scored {"score": 1}
import stat
import subprocess

expect_refusal("become root", os.setuid, 0)
expect_refusal("become another", os.setresuid, 1000, 1000, 1000)
expect_refusal("join a group", os.setgroups, [0])
found = [path for path in ("/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount", "/usr/bin/sudo") if os.path.exists(path)]
for path in found:
    held = [line for line in open("/proc/self/mountinfo") if line.split()[4] == "/usr"]
    if held and "nosuid" not in held[0]:
        seen.append(held)
answer = subprocess.run(["/usr/bin/mount", "-t", "tmpfs", "none", "/tmp"], capture_output=True) if found else None
if answer and answer.returncode == 0:
    seen.append("mount worked")
