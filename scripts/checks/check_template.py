"""Checks template.yaml offline, as written and as translated."""  # noqa: INP001 — scripts are no package

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from scripts.tools import LINTERS, ROOT, SAM, tool_command
from scripts.translation import read_source, translate

TEMPLATE: Final = str(ROOT / "template.yaml")
# A region, no telemetry and dummy credentials: none of the checks calls AWS.
ENVIRONMENT: Final = {
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SECRET_ACCESS_KEY": "nobody",
    "SAM_CLI_TELEMETRY": "0",
}
NOT_READ: Final = ("YAML error", "Parsing errors: 1")
"""What checkov prints about a file that it cannot parse; it exits with 0 all the same."""


def main() -> int:
    """Run `sam validate`, cfn-lint, its serverless rules, and checkov.

    Return 0 if all of them pass, else 1; the output of those that fail is printed.
    """
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        # One stage is enough: the translation keeps conditions, and cfn-lint follows both branches of each.
        translated = Path(folder) / "translated.json"
        translated.write_text(json.dumps(translate(Path(TEMPLATE), {}).document), encoding="utf-8")
        completed = Path(folder) / "template.json"
        completed.write_text(json.dumps(read_source(Path(TEMPLATE))), encoding="utf-8")
        serverless, checkov = (f"--config-file={LINTERS / name}" for name in ("cfnlint.yaml", "checkov.yaml"))
        commands = [
            tool_command(SAM, "sam", "validate"),
            tool_command(SAM, "sam", "validate", "--lint"),
            tool_command(SAM, "cfn-lint", "--template", str(translated)),
            tool_command(LINTERS, "cfn-lint", serverless, "--template", TEMPLATE),
            tool_command(LINTERS, "checkov", checkov, "--file", str(completed)),
        ]
        return 0 if all(list(pool.map(run_program, commands))) else 1


def run_program(command: list[str]) -> bool:
    """Run a command, print its output if it fails, and return whether it passed."""
    completed = subprocess.run(  # noqa: S603 — programs of our own locks, arguments of our own
        command, cwd=ROOT, env=os.environ | ENVIRONMENT, check=False, capture_output=True, text=True
    )
    output = completed.stdout + completed.stderr
    passed = completed.returncode == 0 and not any(sign in output for sign in NOT_READ)
    words = command[command.index("--project") + 2 :]
    sys.stdout.write(f"{' '.join(words)}: {'passed' if passed else 'failed'}\n{'' if passed else output}")
    return passed


if __name__ == "__main__":
    sys.exit(main())
