# imported by a script beside it
"""Shows a function that ministack runs only the parts of this machine that it would see in Lambda."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

LANG: Final = "/var/lang"
CERTIFICATE: Final = "/var/certificate.pem"
LAYERS: Final = "_LAMBDA_LAYERS_DIRS"
"""ministack's own variable: the folders of a function's layers."""
SANDBOX: Final = "-sandbox"
"""In the names of the functions without a network."""


class ViewedProcesses:
    """The part of `subprocess` that ministack's runtime uses; each process gets its own view."""

    PIPE = subprocess.PIPE
    TimeoutExpired = subprocess.TimeoutExpired

    @staticmethod
    def Popen(command: list[str], *, cwd: str, env: dict[str, str], **options: Any) -> "subprocess.Popen[str]":  # noqa: N802 — the module's own name
        """Start ministack's worker with Lambda's Python in the view of its function."""
        folder = Path(cwd).parent
        layers = env.get(LAYERS, "").split(os.pathsep) if env.get(LAYERS) else []
        variables = choose_variables(env) | {
            "PATH": f"{LANG}/bin:/usr/local/bin:/usr/bin:/bin",
            "LANG": "en_US.UTF-8",
            "LD_LIBRARY_PATH": f"{LANG}/lib",
            "LAMBDA_TASK_ROOT": str(cwd),
            "AWS_CA_BUNDLE": CERTIFICATE,
            LAYERS: os.pathsep.join(f"/opt/{number}" for number in range(len(layers))),
        }
        arguments = [
            "bwrap",
            *list_arguments(folder, layers, isolated=SANDBOX in env["AWS_LAMBDA_FUNCTION_NAME"]),
        ]
        return subprocess.Popen([*arguments, f"{LANG}/bin/python3.13", command[1]], env=variables, **options)


def choose_variables(env: dict[str, str]) -> dict[str, str]:
    """Return the variables without the emulator's own, except those of AWS."""
    return {name: value for name, value in env.items() if name.startswith("AWS_") or os.environ.get(name) != value}


def list_arguments(folder: Path, layers: list[str], *, isolated: bool) -> list[str]:
    """Return bubblewrap's arguments: read-only code, layers below /opt, an empty /tmp."""
    shown = {
        str(folder): str(folder),
        str(Path(sys.base_prefix).resolve()): LANG,
        os.environ["MINISTACK_SSL_CERT"]: CERTIFICATE,
        "/etc/hosts": "/etc/hosts",
        **{layer: f"/opt/{number}" for number, layer in enumerate(layers)},
    }
    arguments = ["--unshare-pid", "--unshare-ipc", *(["--unshare-net"] if isolated else [])]
    arguments += ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108 — in the view
    for link in ("lib", "lib64", "bin"):
        arguments += ["--symlink", f"usr/{link}", f"/{link}"]
    for source, target in shown.items():
        arguments += ["--ro-bind", source, target]
    return [*arguments, "--chdir", str(folder / "code")]
