"""Checks template.yaml offline, as written and as translated."""  # noqa: INP001 — scripts are no package

import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from local.template import translate

ROOT: Final = Path(__file__).parents[2]
LINTERS: Final = ROOT / "scripts" / "checks" / "linters"
"""An environment of its own, and what its linters are not asked, each with its reason."""
# A region, no telemetry, and credentials of nobody: none of the checks speaks to AWS.
ENVIRONMENT: Final = {
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SECRET_ACCESS_KEY": "nobody",
    "SAM_CLI_TELEMETRY": "0",
}


def main() -> int:
    """Run `sam validate`, the same with `--lint`, cfn-lint on the translation, its serverless rules, and checkov.

    Returns:
        0 if all of them pass, else 1; what they found is printed.
    """
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        # Any stage will do: translation keeps conditions, and cfn-lint follows both branches of each.
        translated = Path(folder) / "translated.json"
        translated.write_text(json.dumps(translate(ROOT / "template.yaml", {}).document), encoding="utf-8")
        passed = pool.map(
            run_program,
            [
                of_ours("sam", "validate"),
                of_ours("sam", "validate", "--lint"),
                of_ours("cfn-lint", "--template", str(translated)),
                of_linters("cfn-lint", "--config-file", "cfnlint.yaml", "--template", str(ROOT / "template.yaml")),
                of_linters("checkov", "--config-file", "checkov.yaml", "--file", str(ROOT / "template.yaml")),
            ],
        )
        return 0 if all(list(passed)) else 1


def of_ours(program: str, *arguments: str) -> list[str]:
    """Give the command of a program of this environment."""
    return [str(Path(sys.executable).with_name(program)), *arguments]


def of_linters(program: str, *arguments: str) -> list[str]:
    """Give the command of a program of the linters' environment, which uv makes the first time."""
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    return [uv, "run", "--quiet", "--frozen", "--directory", str(LINTERS), program, *arguments]


def run_program(command: list[str]) -> bool:
    """Run a program and print what it says.

    Args:
        command: Its path and its arguments.

    Returns:
        Whether it passed.
    """
    completed = subprocess.run(  # noqa: S603 — programs of our own locks, arguments of our own
        command,
        cwd=ROOT,
        env=os.environ | ENVIRONMENT,
        check=False,
        capture_output=True,
        text=True,
    )
    verdict = "passed" if completed.returncode == 0 else "failed"
    sys.stdout.write(f"{' '.join([Path(command[0]).name, *command[1:]])}: {verdict}\n")
    if completed.returncode != 0:
        sys.stdout.write(completed.stdout + completed.stderr)
    return completed.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
