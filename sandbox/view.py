"""What a script sees of this machine: only the interpreter, the scientific packages and the system's libraries."""

import importlib.metadata
import re
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGES = ("numpy", "scipy", "pandas")
_INSTALLED = Path(__file__).with_name("runner")
"""In the wheel; in the repository it is the code of a function."""
RUNNER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[1] / "functions" / "sandbox" / "runner"
INPUTS, SCRATCH, PACKAGES_FOLDER = "/run/inputs", "/tmp", "/packages"  # noqa: S108  # inside the sandbox
RESULTS = "/results"

_NOBODY = "65534"
_MIB = 1 << 20
_INPUTS_BYTES = 128 * _MIB
# Without /dev/zero: mapped and shared, it is memory that nothing counts.
_DEVICES = ("null", "full", "random", "urandom")
_SYSTEM_LINKS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

# Root's interpreter may be in a folder that only root may enter, and root inside a user namespace would be root outside
# of it. So root first mounts what is needed at /mnt, in a mount namespace of its own, and then becomes nobody.
STAGE = """
set -eu
mount -n -t tmpfs -o mode=0755,size=1m laurel /mnt
number=0
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir "/mnt/$number"; else : > "/mnt/$number"; fi
  mount -n --bind "$1" "/mnt/$number"
  number=$((number + 1))
  shift
done
shift
exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
"""


@dataclass(frozen=True, slots=True)
class BindMount:
    """A file or folder of this machine, and its path inside the sandbox, where it is read-only."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python that runs scripts, what it needs beyond /usr, and folders to hide."""

    executable: str
    mounts: tuple[BindMount, ...]
    hidden: tuple[str, ...]


@cache
def find_interpreter() -> Interpreter:
    """Return the Python that runs this, without the packages of its environment."""
    prefix = Path(sys.base_prefix).resolve()
    executable = Path(sys.executable).resolve()
    if prefix == Path("/usr"):
        beside = ("/usr/lib/python3/dist-packages", "/usr/local")
        return Interpreter(str(executable), mounts=(), hidden=tuple(path for path in beside if Path(path).is_dir()))
    mounts = [BindMount(prefix, "/python")]
    library = Path(str(sysconfig.get_config_var("LIBDIR")), str(sysconfig.get_config_var("INSTSONAME")))
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and library.is_file():
        # Such an interpreter looks for its library at the path that it was built for.
        mounts.append(BindMount(library, str(library)))
    packages = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    hidden = [f"/python/{packages}"] if (prefix / packages).is_dir() else []
    if Path("/usr/local").is_dir() and not library.is_relative_to("/usr/local"):
        hidden.append("/usr/local")
    return Interpreter(f"/python/{executable.relative_to(prefix)}", mounts=tuple(mounts), hidden=tuple(hidden))


@cache
def find_packages() -> tuple[BindMount, ...]:
    """Return the installed files of numpy, scipy, pandas and what they need."""
    paths: dict[str, Path] = {}
    pending, seen = list(PACKAGES), set[str]()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        needs = [need for need in distribution.requires or () if "extra ==" not in need]
        pending += [match[0] for need in needs if (match := _NAME.match(need))]
        for file in distribution.files or ():
            if file.parts[0] not in {"..", "__pycache__"}:
                paths.setdefault(file.parts[0], Path(str(distribution.locate_file(file.parts[0]))))
    return tuple(BindMount(path, f"{PACKAGES_FOLDER}/{name}") for name, path in sorted(paths.items()))


def list_arguments(*, files_mib: int, staged: bool, packages: Sequence[BindMount]) -> tuple[list[Path], list[str]]:
    """Return the files to mount, and the arguments of bwrap that run the runner.

    Args:
        files_mib: The size of the scratch folder.
        staged: Whether `STAGE` has mounted those files, in their order, at /mnt/0, /mnt/1, …
        packages: What a script may import.
    """
    interpreter = find_interpreter()
    mounts = [*interpreter.mounts, BindMount(RUNNER, "/runner"), *packages]
    arguments = [
        "--unshare-all", "--uid", _NOBODY, "--gid", _NOBODY, "--hostname", "sandbox",
        "--new-session", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL",
    ]  # fmt: skip
    arguments += list_system(interpreter, mounts, staged=staged)
    arguments += _list_private_mounts(files_mib)
    arguments += ["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8", "--chdir", "/"]
    arguments += ["--", interpreter.executable, "-I", "/runner", "serve", INPUTS, SCRATCH, PACKAGES_FOLDER]
    return [mount.source for mount in mounts], arguments


def list_system(interpreter: Interpreter, mounts: list[BindMount], *, staged: bool) -> list[str]:
    """Return the arguments that show the system, the interpreter and these mounts."""
    arguments = ["--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    arguments += _list_system_links()
    for number, mount in enumerate(mounts):
        arguments += ["--ro-bind", f"/mnt/{number}" if staged else str(mount.source), mount.target]
    for path in interpreter.hidden:
        arguments += ["--size", "4096", "--tmpfs", path, "--remount-ro", path]
    for mount in interpreter.mounts[1:]:
        # The path may run through a home directory: make it traversable, not listable.
        arguments += ["--chmod", "0111", f"/{Path(mount.target).parts[1]}"]
    return arguments


def _list_system_links() -> list[str]:
    arguments = []
    for name in _SYSTEM_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    return arguments


def _list_private_mounts(files_mib: int) -> list[str]:
    arguments = ["--size", str(_MIB), "--tmpfs", "/dev"]
    for name in _DEVICES:
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    arguments += ["--remount-ro", "/dev", "--proc", "/proc", "--remount-ro", "/proc"]
    arguments += ["--size", str(_INPUTS_BYTES), "--tmpfs", INPUTS]
    arguments += ["--perms", "1777", "--size", str(files_mib * _MIB), "--tmpfs", SCRATCH]
    return [*arguments, "--remount-ro", "/"]
