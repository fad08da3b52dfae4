"""Asks PyPI and npm for known vulnerabilities of every package that a lock names; needs a network."""  # noqa: INP001 — scripts are no package

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from scripts.tools import LINTERS, MINISTACK, ROOT, SAM, find_uv

PROJECTS: Final = (ROOT, LINTERS, MINISTACK, SAM)
"""Each folder with a uv.lock."""
NOWHERE: Final = "no version yet"
FRONTEND: Final = ROOT / "frontend"


def main() -> int:
    """Audit every lock of uv and that of npm.

    Returns:
        0 where every package was asked about and nothing is known against it; else 1, and what is wrong is printed.
    """
    complaints = [one for project in PROJECTS for one in audit_python(project)] + audit_node()
    for complaint in complaints:
        sys.stdout.write(f"{complaint}\n")
    return 1 if complaints else 0


def audit_python(project: Path) -> list[str]:
    """Tell what is known against the packages of a uv.lock, and of which nothing could be learned."""
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
        failure: What to say then.

    Returns:
        A line for each vulnerability, and one if there are packages that the service knows nothing of. pip-audit
        calls these skipped and ends well, so a service that knows nothing at all would pass for a clean bill.
    """
    if not report:
        return [failure]
    packages = json.loads(report)["dependencies"]
    skipped = [one for one in packages if "skip_reason" in one]
    lines = [
        f"{one['name']} {one['version']}: {known['id']}, mended in {', '.join(known['fix_versions']) or NOWHERE}"
        for one in packages
        for known in one.get("vulns", ())
    ]
    if skipped:
        first = skipped[0]["skip_reason"]
        lines.append(f"of {len(skipped)} of {len(packages)} packages nothing was learned, such as: {first}")
    return lines


def audit_node() -> list[str]:
    """Tell what is known against the packages of package-lock.json."""
    npm = str(Path(sys.executable).with_name("npm"))
    done = subprocess.run([npm, "audit", "--json"], cwd=FRONTEND, check=False, capture_output=True, text=True)  # noqa: S603 — our own lock
    return judge_node(done.stdout, f"package-lock.json: npm was not asked: {last_line(done.stderr)}")


def judge_node(report: str, failure: str) -> list[str]:
    """Read a report of npm audit: a line for each package with something against it; what is no report is a failure."""
    found: dict[str, Any] = json.loads(report) if report else {}
    if "vulnerabilities" not in found:
        return [f"{failure} {found.get('message', '')}".rstrip()]
    return [f"{name}: {one['severity']}, in {one['range']}" for name, one in found["vulnerabilities"].items()]


def last_line(text: str) -> str:
    """Give the last line of a text, where programs say what was wrong."""
    return (text.strip().splitlines() or ["it said nothing"])[-1]


if __name__ == "__main__":
    sys.exit(main())
