"""Hostile texts exported to LaTeX and compiled: does any of them read a file, write one, or run a program?

    python -m tests.bench.hostile_latex TEXTS.jsonl [--skip N] [--limit N]

Each line is ``{"text": ...}``, a question's text, or ``{"source": ...}``, a document of the class exam that is
imported first. `{SECRET}` in it becomes the path of a file with a secret word, `{MARK}` a path at which nothing may
appear. Every text is exported as a worksheet and as a file of questions, and compiled by LuaLaTeX, which may run any
program and write any file. The gate: the secret is in no PDF and in no log, no mark appears, and TeX opens no file but
its own. `--skip` and `--limit` take a part of the texts; a text takes about two seconds.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import secrets
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.benchmark import gate

_SECONDS = 60


def _files(line: dict[str, str], folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the LaTeX that the product exports for a line, by its way out."""
    from analytics.records import QuestionRecord
    from questionbank.formats import WRITTEN, read
    from questionbank.formats.seam import NoAttachments
    from questionbank.worksheets.printing.latex import worksheet_latex
    from questionbank.worksheets.sheet import Sheet, SheetItem, SheetSection

    if "source" in line:
        path = folder / "imported.tex"
        path.write_text(line["source"], encoding="utf-8")
        records = [entry for _line, entry in read(path) if isinstance(entry, QuestionRecord)]
    else:
        text = line["text"]
        records = [QuestionRecord("1", text, solution=text, answer=text)]
        item = SheetItem("1", text, options=(("A", text),), stimulus=text, solution=text, answer=text)
        sheet = Sheet(text[:200], (SheetSection((item,), heading=text, instructions=text),))
        with zipfile.ZipFile(io.BytesIO(worksheet_latex([sheet]))) as archive:
            yield "worksheet", archive.read("worksheet.tex")
    yield "exam", b"".join(WRITTEN["exam"].write(records, NoAttachments()))


def _faults(source: bytes, folder: Path, secret: Path, mark: Path) -> list[str]:
    """Compile a document; returns what it read, wrote or ran that it should not."""
    (folder / "it.tex").write_bytes(source)
    command = ["lualatex", "-interaction=nonstopmode", "-shell-escape", "-recorder", "it.tex"]
    unguarded = {**os.environ, "openin_any": "a", "openout_any": "a"}
    is_endless = False
    try:
        subprocess.run(command, cwd=folder, env=unguarded, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        is_endless = True
    text = b""
    if (folder / "it.pdf").exists():
        text = subprocess.run(["pdftotext", "it.pdf", "-"], cwd=folder, capture_output=True, check=True).stdout
    log = (folder / "it.log").read_bytes() if (folder / "it.log").exists() else b""
    shown = b"".join((text + log).split())  # lines may break anywhere
    faults = ["shows a file"] if secret.read_bytes() in shown else []
    faults += ["runs a program or writes a file"] if list(mark.parent.glob(f"{mark.name}*")) else []
    faults += [f"does not end within {_SECONDS} seconds"] if is_endless else []
    opened = (folder / "it.fls").read_text(errors="replace").splitlines() if (folder / "it.fls").exists() else []
    names = {line.partition(" ")[2] for line in opened if line.startswith(("INPUT ", "OUTPUT "))}
    return faults + [f"opens {name}" for name in sorted(names) if not _is_own(name, folder)]


def _is_own(name: str, folder: Path) -> bool:
    """Return whether a file that TeX opened belongs to its installation or to the document."""
    return "/tex" in name.casefold() or name.startswith(("it.", "./it.", str(folder), "/usr/share/fonts"))


def main() -> int:
    """Return 0 if no text does harm."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.hostile_latex", description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    lines = [line for line in options.texts.read_text(encoding="utf-8").split("\n") if line]
    part = list(enumerate(lines, start=1))[options.skip :][: options.limit]
    harmful = documents = compiled = 0
    for number, raw in part:
        with tempfile.TemporaryDirectory() as name:
            home = Path(name)
            secret, mark = home / "secret.txt", home / "mark"
            secret.write_text(secrets.token_hex(8))
            filled = raw.replace("{SECRET}", str(secret)).replace("{MARK}", str(mark))
            for way, source in _files(json.loads(filled), home):
                folder = home / way
                folder.mkdir()
                faults = _faults(source, folder, secret, mark)
                documents += 1
                has_pdf = (folder / "it.pdf").exists()
                compiled += has_pdf
                if not has_pdf:
                    print(f"{number} {way}: no PDF", flush=True)
                harmful += bool(faults)
                for fault in faults:
                    print(f"{number} {way}: {fault}", flush=True)
    print(f"{len(part)} texts, {documents} documents, {compiled} PDFs")
    return gate(f"no text does harm ({harmful} do)", harmful == 0)


if __name__ == "__main__":
    sys.exit(main())
