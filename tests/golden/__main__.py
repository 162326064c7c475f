"""Record what the product does, or compare it with a recording.

A recording is a folder for each part, with its inputs and its outputs. `record` skips parts that this tree has
recorded, so it can be stopped and started again; parts that are named with --only are recorded again. `check` writes
the outputs of this tree beside the recorded ones, into the folder `checked`, shows what differs, and ends with exit
status 1 if anything does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import django

from tests.golden.bank import BASE_DIR, fixed_environment, make_bank, open_copy, product_digest
from tests.golden.parts import PARTS
from tests.golden.texts import difference

LINES_OF_A_FILE, LINES_OF_A_PART = 12, 120


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status."""
    options = _parser().parse_args(arguments)
    is_check = options.command == "check"
    names = options.only or list(PARTS)
    if is_check and (missing := [name for name in names if not (options.into / name / "outputs").exists()]):
        sys.exit(f"{', '.join(missing)}: not recorded in {options.into}. Record them, or name others with --only.")
    if not (is_check or options.only):
        names = [name for name in names if not _is_recorded(options.into / name)]
    bank = make_bank() if any(PARTS[name].has_bank for name in names) else None
    failed = 0
    for name in names:
        began = time.time()
        outcome, lines = (check if is_check else record)(name, options.into / name, bank, options.data)
        failed += outcome not in ("recorded", "no difference")
        sys.stdout.write("\n".join([f"{name}: {outcome} ({time.time() - began:.0f} s)", *lines, ""]))
        sys.stdout.flush()
    return int(failed > 0)


def record(name: str, folder: Path, bank: Path | None, data: Path) -> tuple[str, list[str]]:
    """Record a part; return what became of it."""
    shutil.rmtree(folder, ignore_errors=True)
    for step in ("inputs", "outputs"):
        if not _in_own_process(step, name, folder, bank, data):
            return f"the {step} could not be written", []
    (folder / "tree").write_text(product_digest())
    return "recorded", []


def check(name: str, folder: Path, bank: Path | None, data: Path) -> tuple[str, list[str]]:
    """Compare a part with its recording; return what became of it, and what differs."""
    if not _in_own_process("checked", name, folder, bank, data):
        return "it could not be run", []
    lines, count = compare(folder / "outputs", folder / "checked")
    return f"{count} differ" if count else "no difference", lines


def _parser() -> argparse.ArgumentParser:
    parts = "\n".join(f"  {name:18} {part.what}" for name, part in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.golden",
        description=__doc__,
        epilog=f"parts:\n{parts}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=("record", "check"))
    parser.add_argument(
        "--into", type=_folder, default=BASE_DIR / "var" / "golden", help="folder of the recording (var/golden)"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help="parts; by default all")
    parser.add_argument(
        "--data", type=_folder, default=BASE_DIR.parent / "shared" / "data", help="folder of the public sets, if any"
    )
    return parser


def _is_recorded(folder: Path) -> bool:
    tree = folder / "tree"
    return tree.exists() and tree.read_text() == product_digest()


def _folder(name: str) -> Path:
    return Path(name).resolve()


def _in_own_process(step: str, part: str, folder: Path, bank: Path | None, data: Path) -> bool:
    """Let a process write the inputs of a part, or what this tree makes of them; return whether it could."""
    with tempfile.TemporaryDirectory(prefix="golden-") as work:
        environment = {**os.environ, **fixed_environment(bank or Path(work) / "var")}
        command = [sys.executable, "-c", "from tests.golden.__main__ import run_step; run_step()"]
        arguments = [step, part, str(folder), work, str(data)]
        return not subprocess.run([*command, *arguments], cwd=BASE_DIR, env=environment, check=False).returncode


def run_step() -> None:
    """Do one step of one part, in a process of its own; write aside and rename at the end."""
    step, name, folder, work, data = sys.argv[1:]
    part, target = PARTS[name], Path(folder) / step
    open_copy(name) if part.has_bank else django.setup()
    unfinished = target.with_name(f"{step}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    if step == "inputs":
        part.write_inputs(unfinished, Path(data))
    else:
        place = Path(work) / "work"
        place.mkdir()
        for output, text in part.outputs(Path(folder) / "inputs", place):
            path = unfinished / f"{output}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    shutil.rmtree(target, ignore_errors=True)
    unfinished.rename(target)


def compare(recorded: Path, checked: Path) -> tuple[list[str], int]:
    """Return what differs between two folders, in few lines, and the number of files that differ."""
    names = sorted({path.relative_to(place) for place in (recorded, checked) for path in place.rglob("*.txt")})
    lines: list[str] = []
    count = 0
    for name in names:
        before, now = (_text(place / name) for place in (recorded, checked))
        if before == now:
            continue
        count += 1
        if before is None or now is None:
            lines.append(f"  {name.with_suffix('')}: {'new' if before is None else 'gone'}")
        else:
            lines.append(f"  {name.with_suffix('')}")
            lines += [f"    {line}" for line in difference(before, now, lines=LINES_OF_A_FILE)]
    if len(lines) > LINES_OF_A_PART:
        lines[LINES_OF_A_PART:] = [f"  ... see the rest with: diff -r {recorded} {checked}"]
    return lines, count


def _text(path: Path) -> str | None:
    if not path.exists():
        return None
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main())
