"""schemathesis against a running server: requests made from the schema, one by one and in sequences.

    python -m tests.bench.contract --url URL --key KEY [--minutes N]

It changes what the key may change, so give it a bank of its own. The gate: it finds nothing. Of its checks one is left
out: that everything is accepted that the schema allows, since a bank refuses more, such as concepts that do not exist.
A bank without a solver may say so with 503, and a request that breaks the schema may also be too large (413). Headers
that make a request conditional are left out as well: chance never meets an ETag, and a repeated `Idempotency-Key`
returns a first response whose resource may be deleted since.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.benchmark import BASE_DIR, gate, read_options

SCHEMA = BASE_DIR / "docs" / "openapi.json"
SETTINGS = """
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]
negative_data_rejection.expected-statuses = ["4xx", "503"]
positive_data_acceptance.enabled = false

[[operations]] # it might end the key that is used
include-operation-id = "revoke_key"
enabled = false

[[operations]] # it might delete or retire what another request has just made
include-operation-id = "create_bulk_change"
enabled = false

[[operations]] # a new list is there, but the question is not on it
include-operation-id = ["move_in_list", "remove_from_list"]
checks.ensure_resource_availability.enabled = false
"""
PHASES = ("coverage,fuzzing", "stateful")  # apart, so that each gets its share of the time
PROGRAM = "from schemathesis.cli import schemathesis; schemathesis()"


def main() -> int:
    """Print what schemathesis finds; the exit code is 1 if it finds something."""
    options = read_options(url="http://127.0.0.1:8000", key="", minutes=15.0)
    with tempfile.TemporaryDirectory() as scratch:
        report, passed = explore(options.url, options.key, seconds=60 * options.minutes, folder=Path(scratch))
    print(report)
    return gate(f"schemathesis finds nothing in {options.minutes:g} minutes", passed)


def explore(url: str, key: str, *, seconds: float, folder: Path) -> tuple[str, bool]:
    """Return what schemathesis reports, and whether it finds nothing.

    Args:
        folder: where it may leave files.
    """
    (folder / "schemathesis.toml").write_text(SETTINGS, encoding="utf-8")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for operation in (one for operations in schema["paths"].values() for one in operations.values()):
        operation["parameters"] = [one for one in operation["parameters"] if one["in"] != "header"]
    (folder / SCHEMA.name).write_text(json.dumps(schema), encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        PROGRAM,
        "run",
        str(folder / SCHEMA.name),
        "--url",
        url,
        "--header",
        f"Authorization: Bearer {key}",
    ]
    command += ["--max-time", f"{seconds / len(PHASES):.0f}", "--workers", "2", "--continue-on-failure", "--no-color"]
    command += ["--generation-deterministic"]
    runs = [
        subprocess.run([*command, "--phases", phases], cwd=folder, capture_output=True, text=True, check=False)
        for phases in PHASES
    ]
    return "\n".join(run.stdout + run.stderr for run in runs), not any(run.returncode for run in runs)


if __name__ == "__main__":
    sys.exit(main())
