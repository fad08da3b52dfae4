"""What a script sees of this machine: the interpreter, the scientific packages, the system's libraries; no more."""

import importlib.metadata
import re
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGES = ("numpy", "scipy", "pandas")
RUNNER = Path(__file__).parents[1] / "functions" / "sandbox" / "runner"
INPUTS, SCRATCH, PACKAGES_FOLDER = "/run/inputs", "/tmp", "/packages"  # noqa: S108  # inside the sandbox

_NOBODY = "65534"
_MIB = 1 << 20
_INPUTS_BYTES = 128 * _MIB
# Not zero: mapped and shared, it is memory that nothing counts.
_DEVICES = ("null", "full", "random", "urandom")
_SYSTEM_LINKS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

# Root's own interpreter may lie in a folder that nobody else may enter, and root inside a user namespace would be root
# outside of it: so root first shows what is needed in a mount namespace of its own, then becomes nobody.
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
    """One file or folder of this machine, and where the sandbox shows it, read-only."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python that runs scripts.

    Args:
        executable: Its path inside the sandbox.
        shown: What of this machine it needs beyond /usr.
        hidden: Folders inside the sandbox that stay empty, such as packages installed beside it.
    """

    executable: str
    shown: tuple[BindMount, ...]
    hidden: tuple[str, ...]


@cache
def find_interpreter() -> Interpreter:
    """Give the Python that runs this, without its environment's packages."""
    prefix = Path(sys.base_prefix).resolve()
    executable = Path(sys.executable).resolve()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if prefix == Path("/usr"):
        beside = ("/usr/lib/python3/dist-packages", "/usr/local")
        return Interpreter(str(executable), shown=(), hidden=tuple(path for path in beside if Path(path).is_dir()))
    shown = [BindMount(prefix, "/python")]
    library = Path(str(sysconfig.get_config_var("LIBDIR")), str(sysconfig.get_config_var("INSTSONAME")))
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and library.is_file():
        # Such an interpreter looks for its library where it was built for.
        shown.append(BindMount(library, str(library)))
    hidden = [f"/python/lib/{version}/site-packages"]
    if Path("/usr/local").is_dir() and not library.is_relative_to("/usr/local"):
        hidden.append("/usr/local")
    return Interpreter(
        executable=f"/python/{executable.relative_to(prefix)}",
        shown=tuple(shown),
        hidden=tuple(path for path in hidden if path == "/usr/local" or Path(prefix, path[8:]).is_dir()),
    )


@cache
def find_packages() -> tuple[BindMount, ...]:
    """Give the files of numpy, scipy, pandas and what they need, as far as they are installed."""
    found: dict[str, Path] = {}
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
        needs = [one for one in distribution.requires or () if "extra ==" not in one]
        pending += [match[0] for one in needs if (match := _NAME.match(one))]
        for file in distribution.files or ():
            if file.parts[0] not in {"..", "__pycache__"}:
                found.setdefault(file.parts[0], Path(str(distribution.locate_file(file.parts[0]))))
    return tuple(BindMount(path, f"{PACKAGES_FOLDER}/{name}") for name, path in sorted(found.items()))


def list_arguments(*, files_mib: int, staged: bool) -> tuple[list[Path], list[str]]:
    """Give the arguments of bwrap that build the view, and the command that runs in it.

    Args:
        files_mib: The size of the scratch folder.
        staged: Whether `STAGE` has put the sources, in their order, at /mnt/0, /mnt/1, …

    Returns:
        The sources that are shown, and the arguments.
    """
    interpreter = find_interpreter()
    shown = [*interpreter.shown, BindMount(RUNNER, "/runner"), *find_packages()]
    arguments = [
        "--unshare-all", "--uid", _NOBODY, "--gid", _NOBODY, "--hostname", "sandbox",
        "--new-session", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL",
        "--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
    ]  # fmt: skip
    arguments += _system_links()
    for number, one in enumerate(shown):
        arguments += ["--ro-bind", f"/mnt/{number}" if staged else str(one.source), one.target]
    for path in interpreter.hidden:
        arguments += ["--size", "4096", "--tmpfs", path, "--remount-ro", path]
    for one in interpreter.shown[1:]:
        # The way to it may lead through a home, whose name is all that is to be seen of it.
        arguments += ["--chmod", "0111", f"/{Path(one.target).parts[1]}"]
    arguments += _private_places(files_mib)
    arguments += ["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8", "--chdir", "/"]
    arguments += ["--", interpreter.executable, "-I", "/runner", "serve", INPUTS, SCRATCH, PACKAGES_FOLDER]
    return [one.source for one in shown], arguments


def _system_links() -> list[str]:
    arguments = []
    for name in _SYSTEM_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    return arguments


def _private_places(files_mib: int) -> list[str]:
    arguments = ["--size", str(_MIB), "--tmpfs", "/dev"]
    for name in _DEVICES:
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    arguments += ["--remount-ro", "/dev", "--proc", "/proc", "--remount-ro", "/proc"]
    arguments += ["--size", str(_INPUTS_BYTES), "--tmpfs", INPUTS]
    arguments += ["--perms", "1777", "--size", str(files_mib * _MIB), "--tmpfs", SCRATCH]
    return [*arguments, "--remount-ro", "/"]
