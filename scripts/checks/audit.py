"""Asks PyPI and npm for known vulnerabilities of every locked package; needs a network."""  # noqa: INP001 — scripts are no package

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from scripts.tools import LINTERS, MINISTACK, ROOT, SAM, find_uv

PROJECTS: Final = (ROOT, LINTERS, MINISTACK, SAM)
"""Each folder with a uv.lock."""
NO_FIX: Final = "no version yet"
FRONTEND: Final = ROOT / "frontend"


def main() -> int:
    """Audit every lock of uv and that of npm, and print what is wrong.

    Returns:
        0 if every package is known to the services and none is vulnerable; else 1.
    """
    complaints = [line for project in PROJECTS for line in audit_python(project)] + audit_node()
    for complaint in complaints:
        sys.stdout.write(f"{complaint}\n")
    return 1 if complaints else 0


def audit_python(project: Path) -> list[str]:
    """Return a line for each vulnerability of a uv.lock, and for a failure to ask."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder) / "requirements.txt"
        export = [find_uv(), "export", "--quiet", "--frozen", "--all-groups", "--no-emit-project", "--output-file"]
        subprocess.run([*export, str(requirements)], cwd=project, check=True, capture_output=True)  # noqa: S603 — our own lock
        ask = [sys.executable, "-m", "pip_audit", "--requirement", str(requirements), "--disable-pip", "--format=json"]
        done = subprocess.run(ask, check=False, capture_output=True, text=True)  # noqa: S603 — as above
    return judge_python(done.stdout, f"{project.name}/uv.lock: PyPI was not asked: {last_line(done.stderr)}")


def judge_python(report: str, failure: str) -> list[str]:
    """Read a report of pip-audit.

    Args:
        report: Its JSON; "" where there is none.
        failure: The line to return then.

    Returns:
        A line for each vulnerability, and one if the service does not know some packages. pip-audit skips those and
        exits with 0, so a service that knows nothing would otherwise pass.
    """
    if not report:
        return [failure]
    packages = json.loads(report)["dependencies"]
    skipped = [package for package in packages if "skip_reason" in package]
    lines = [
        f"{package['name']} {package['version']}: {flaw['id']}, fixed in {', '.join(flaw['fix_versions']) or NO_FIX}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    if skipped:
        first = skipped[0]["skip_reason"]
        lines.append(f"{len(skipped)} of {len(packages)} packages are unknown to the service, such as: {first}")
    return lines


def audit_node() -> list[str]:
    """Return a line for each vulnerable package of package-lock.json, or a failure."""
    npm = str(Path(sys.executable).with_name("npm"))
    done = subprocess.run([npm, "audit", "--json"], cwd=FRONTEND, check=False, capture_output=True, text=True)  # noqa: S603 — our own lock
    return judge_node(done.stdout, f"package-lock.json: npm was not asked: {last_line(done.stderr)}")


def judge_node(report: str, failure: str) -> list[str]:
    """Return a line for each vulnerable package in npm's report, or the failure."""
    answer: dict[str, Any] = json.loads(report) if report else {}
    if "vulnerabilities" not in answer:
        return [f"{failure} {answer.get('message', '')}".rstrip()]
    return [f"{name}: {flaw['severity']}, in {flaw['range']}" for name, flaw in answer["vulnerabilities"].items()]


def last_line(text: str) -> str:
    """Return the last line of a text, which is where programs name the error."""
    return (text.strip().splitlines() or ["no output"])[-1]


if __name__ == "__main__":
    sys.exit(main())
